//! One packet for a request and one for its answer, without a transport: the client repeats what is
//! not answered, and the server knows what it was asked last.

use super::places::{TO_CLIENT, TO_SERVER};
use super::run::{LabPacket, Stage};

/// The first time-out of a client, and the longest: it doubles.
const FIRST_NS: i64 = 500_000_000;
const LONGEST_NS: i64 = 4_000_000_000;

/// Its only timer.
const REPEAT: usize = 0;

/// A client.
#[derive(Default)]
pub(super) struct Asking {
    step: Option<usize>,
    wait: i64,
}

impl Asking {
    pub(super) fn send(&mut self, step: usize, stage: &mut Stage<'_>) {
        (self.step, self.wait) = (Some(step), FIRST_NS);
        self.ask(step, stage);
    }

    fn ask(&self, step: usize, stage: &mut Stage<'_>) {
        let frame = stage.datagram(TO_SERVER, &stage.steps[step].request);
        stage.send(frame, LabPacket::Request(step));
        stage.arm(REPEAT, self.wait);
    }

    pub(super) fn receive(&mut self, packet: LabPacket, stage: &mut Stage<'_>) {
        match packet {
            LabPacket::Reply(step) if self.step == Some(step) => {
                self.step = None;
                stage.disarm(REPEAT);
                stage.deliver(step);
            }
            // The server has it: there is time.
            LabPacket::Interim(step) if self.step == Some(step) => {
                self.wait = LONGEST_NS;
                stage.arm(REPEAT, self.wait);
            }
            _ => {}
        }
    }

    pub(super) fn expired(&mut self, stage: &mut Stage<'_>) {
        if let Some(step) = self.step {
            self.wait = (self.wait * 2).min(LONGEST_NS);
            stage.repeated();
            self.ask(step, stage);
        }
    }
}

/// The server's end of it.
#[derive(Default)]
pub(super) struct Answering {
    /// The latest request, and whether it is answered.
    latest: Option<(usize, bool)>,
}

impl Answering {
    pub(super) fn receive(&mut self, packet: LabPacket, stage: &mut Stage<'_>) {
        let LabPacket::Request(step) = packet else {
            return;
        };
        match self.latest {
            Some((latest, _)) if step < latest => {}
            Some((latest, answered)) if step == latest => {
                if answered {
                    stage.repeated();
                    self.reply(step, stage);
                } else {
                    let frame = stage.datagram(TO_CLIENT, &stage.steps[step].interim);
                    stage.send(frame, LabPacket::Interim(step));
                }
            }
            _ => {
                self.latest = Some((step, false));
                stage.deliver(step);
            }
        }
    }

    pub(super) fn send(&mut self, step: usize, stage: &mut Stage<'_>) {
        self.latest = Some((step, true));
        self.reply(step, stage);
    }

    fn reply(&self, step: usize, stage: &mut Stage<'_>) {
        let frame = stage.datagram(TO_CLIENT, &stage.steps[step].response);
        stage.send(frame, LabPacket::Reply(step));
    }
}
