//! Sums of stations, pairs and interfaces.

use super::super::meter;
use super::way::OpenLoad;

meter! {
    /// One station on one carrier. "In" is what it received, "out" what it sent.
    ///
    /// A packet is a frame on the wire; a frame is a message on an ordered link, in however many
    /// packets; its bytes are those of the message, without the headers of the carrier and of what
    /// is below it. Of retransmitted data the first copy counts; the others are in
    /// [`resent`](Self::resent). A datagram is a packet without order.
    TransportMeter {
        /// Packets received, data or not.
        packets_in,
        /// Packets sent.
        packets_out,
        /// Packets with data received, of messages or datagrams.
        data_packets_in,
        /// Packets with data sent.
        data_packets_out,
        /// Messages whose last packet was received.
        frames_in,
        /// Messages whose last packet was sent.
        frames_out,
        /// Bytes of messages received, each with the packet that brings it.
        frame_bytes_in,
        /// Bytes of messages sent.
        frame_bytes_out,
        /// Datagrams received; those to a group count for no receiver.
        datagrams_in,
        /// Datagrams sent.
        datagrams_out,
        /// Bytes in datagrams received.
        datagram_bytes_in,
        /// Bytes in datagrams sent.
        datagram_bytes_out,
        /// Retransmitted data packets.
        resent,
        /// Bytes in them.
        resent_bytes,
        /// Times it refused data that it wants again.
        rejected,
        /// Bytes refused.
        rejected_bytes,
        /// Acknowledgements sent in packets of their own.
        acks_alone,
        /// Acknowledgements that rode on data.
        acks_riding,
        /// Of messages, above the link: those sent in packets of their own.
        message_acks_alone,
        /// Of messages, above the link: those that rode on data.
        message_acks_riding,
        /// Of messages, above the link: those that were allowed to wait for data to ride on.
        message_acks_queued,
        /// Of those, the ones sent in packets of their own.
        message_acks_queued_alone,
        /// Acknowledgements alone that came later than [`LATE_ACK_NS`](crate::LATE_ACK_NS) after the data.
        late_acks,
        /// Times it asked what the other side has, with data on its way.
        polls_waiting,
        /// Times it asked again because no answer came.
        polls_unanswered,
        /// Times it said that it can take no more.
        busy,
        /// How long that lasted, ns.
        busy_ns,
        /// Connections that are open: opened in this capture and not ended.
        open,
        /// Connections that it asked for and got at the first try.
        opened_at_once,
        /// Connections that it asked for and got after more than one try.
        opened_later,
        /// Connections that it asked for and that were refused.
        refused,
        /// Connections that it asked for in vain.
        not_answered,
        /// Names that it looked for to call them, and that nobody has.
        not_found,
        /// Connections that it ended.
        ended_here,
        /// Connections that the other side ended.
        ended_there,
        /// Connections that were aborted by either side.
        aborted,
        /// Links on which it tried in vain until it gave up.
        died,
        /// The most bytes that were on their way when an acknowledgement came.
        window_most,
        /// The sum of those bytes, over all acknowledgements received.
        window_total,
        /// How many acknowledgements those are.
        window_times,
    }
}

meter! {
    /// One station's adapter.
    StationMeter {
        /// Packets to it.
        packets_in,
        /// Packets from it.
        packets_out,
        /// Bytes to it, as in [`SegmentMeter::bytes`].
        bytes_in,
        /// Bytes from it.
        bytes_out,
        /// Packets from it to everyone or to a group.
        group_packets_out,
    }
}

meter! {
    /// Messages between two stations.
    PairMeter {
        /// Bytes of messages received.
        bytes_in,
        /// Bytes of messages sent.
        bytes_out,
    }
}

meter! {
    /// One interface of the capture.
    SegmentMeter {
        /// Frames.
        frames,
        /// Bytes from the destination address to the end of the data, padding included, check
        /// sequence not.
        bytes,
        /// Frames to everyone.
        broadcast,
        /// Bytes in them.
        broadcast_bytes,
        /// Frames to a group.
        multicast,
        /// Bytes in them.
        multicast_bytes,
    }
}

impl StationMeter {
    pub(super) fn sent(&mut self, packets: u64, bytes: u64) {
        self.packets_out += packets;
        self.bytes_out = self.bytes_out.saturating_add(bytes);
    }

    pub(super) fn received(&mut self, packets: u64, bytes: u64) {
        self.packets_in += packets;
        self.bytes_in = self.bytes_in.saturating_add(bytes);
    }
}

impl TransportMeter {
    pub(super) fn sent(&mut self, packets: u64, data: u64, load: &OpenLoad) {
        self.packets_out += packets;
        self.data_packets_out += data;
        self.frames_out += load.frames;
        self.frame_bytes_out = self.frame_bytes_out.saturating_add(load.frame_bytes);
        self.datagrams_out += load.datagrams;
        self.datagram_bytes_out = self.datagram_bytes_out.saturating_add(load.datagram_bytes);
    }

    pub(super) fn received(&mut self, packets: u64, data: u64, load: &OpenLoad) {
        self.packets_in += packets;
        self.data_packets_in += data;
        self.frames_in += load.frames;
        self.frame_bytes_in = self.frame_bytes_in.saturating_add(load.frame_bytes);
        self.datagrams_in += load.datagrams;
        self.datagram_bytes_in = self.datagram_bytes_in.saturating_add(load.datagram_bytes);
    }
}
