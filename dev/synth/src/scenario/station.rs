//! The settings of a scenario: who is there, on what kind of network, and what the capture
//! does with what it sees.

use super::error::{Fault, Place};
use super::net::Net;
use super::notation::{date, decnet_node, framing_by_name, hex, ip_socket, ipx_address, next_mac};
use super::words::{Options, Word, names, seconds};
use crate::ethernet::Mac;
use crate::ipv4::Socket;
use crate::ipx::{self, Framing};
use crate::tunnel::Tunnel;
use crate::{decnet, last, nbf};

/// Which end of its conversations a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// Where a station is reached, and by what.
#[derive(Clone, Debug)]
pub(super) enum StationAddress {
    Ipx(ipx::Address),
    Tcp(Socket),
    Udp(Socket),
    /// NetBEUI: a name, and the number this station gives to its sessions.
    Nbf {
        name: [u8; 16],
        session: u8,
    },
    /// NetBIOS over IPX: likewise.
    Nbipx {
        ipx: ipx::Address,
        name: [u8; 16],
        connection: u16,
    },
    Spx {
        ipx: ipx::Address,
        connection: u16,
        /// SPX II: the size of packets.
        size: Option<u16>,
    },
    Idp(ipx::Address),
    /// A connection of SPP: the number, and the socket that a server is called at, if that is
    /// not its own.
    Spp {
        idp: ipx::Address,
        connection: u16,
        listens: Option<u16>,
    },
    /// 3Com's NBP: the MAC address is all.
    Nbp,
    Last,
    /// A DECnet node, its number for the logical link, and how it writes its packets.
    Decnet {
        node: u16,
        link: u16,
        long: bool,
        padding: u8,
    },
}

impl StationAddress {
    /// The address of the station `by` places further on, where a line introduces several.
    fn plus(&self, by: u32) -> Self {
        let mut address = self.clone();
        match &mut address {
            Self::Ipx(ipx)
            | Self::Nbipx { ipx, .. }
            | Self::Spx { ipx, .. }
            | Self::Idp(ipx)
            | Self::Spp { idp: ipx, .. } => ipx.node = next_mac(ipx.node, by),
            Self::Tcp(socket) | Self::Udp(socket) => {
                socket.address = u32::from(socket.address).wrapping_add(by).into();
            }
            Self::Decnet { node, .. } => *node = node.wrapping_add(by as u16),
            Self::Nbf { .. } | Self::Nbp | Self::Last => {}
        }
        address
    }

    /// Its IPX address, if it has one.
    pub(super) fn ipx(&self) -> Option<&ipx::Address> {
        match self {
            Self::Ipx(ipx) | Self::Nbipx { ipx, .. } | Self::Spx { ipx, .. } => Some(ipx),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Station {
    pub(super) name: String,
    pub(super) side: Side,
    pub(super) address: StationAddress,
    pub(super) mac: Mac,
    /// Routers between this station and the capture point (IPX transport control).
    pub(super) hops: u8,
    /// Its IPv4 packets have no identification.
    pub(super) unnumbered: bool,
    /// How its IPX packets are framed, and its tag, where these differ from the rest.
    pub(super) framing: Option<Framing>,
    pub(super) vlan: Option<u16>,
    /// Most bytes of data in one of its frames (TCP segment or NetBEUI frame).
    pub(super) most: usize,
    /// LAST: most bytes of a response that its data link holds, as it tells the server, which
    /// cuts longer ones into messages of this size.
    pub(super) buffer: Option<usize>,
    /// The cables it is on.
    pub(super) on: Vec<usize>,
}

/// Everything that is said before the first timed line.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) net: Net,
    pub(super) stations: Vec<Station>,
    pub(super) framing: Framing,
    pub(super) vlan: Option<u16>,
    /// Nanoseconds since the epoch at time 0 of the scenario.
    pub(super) start: i64,
    pub(super) seed: u64,
    /// Bytes that the capture keeps of each frame.
    pub(super) snaplen: Option<usize>,
    /// A mirror port shows every frame again after this many nanoseconds.
    pub(super) mirror: Option<i64>,
    /// All goes through this one where it is captured.
    pub(super) tunnel: Option<Tunnel>,
    /// The capture sees this direction only.
    pub(super) only: Option<(usize, usize)>,
}

impl Settings {
    pub(super) fn parse(lines: &[Vec<Word>]) -> Result<Self, Fault> {
        let mut settings = Self {
            net: Net::default(),
            stations: Vec::new(),
            framing: Framing::Raw,
            vlan: None,
            // 1999-03-01 09:00:00 UTC, a Monday morning.
            start: 920_278_800_000_000_000,
            seed: 1,
            snaplen: None,
            mirror: None,
            tunnel: None,
            only: None,
        };
        for line in lines {
            if let Some((first, rest)) = line.split_first() {
                settings.line(first, rest)?;
            }
        }
        Ok(settings)
    }

    fn line(&mut self, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let one = |what: &str| match rest {
            [word] => Ok(word),
            _ => Err(first.fault(format!("expected `{} {what}`", first.text))),
        };
        match first.text.as_str() {
            "client" => self.station(Side::Client, first, rest)?,
            "server" => self.station(Side::Server, first, rest)?,
            "ethernet" => {
                let (framing, options) = rest
                    .split_first()
                    .ok_or_else(|| first.fault("expected `ethernet raw|ii|llc|snap`"))?;
                self.framing = framing_by_name(&framing.text)
                    .ok_or_else(|| framing.expected("raw, ii, llc or snap"))?;
                let options = Options::new(options, first.place, 0);
                self.vlan = options.maybe("vlan")?;
                options.done()?;
            }
            "start" => {
                let word = one("YYYY-MM-DDTHH:MM:SSZ")?;
                self.start = date(&word.text)
                    .ok_or_else(|| word.expected("a time such as 1999-03-01T09:00:00Z"))?;
            }
            "seed" => {
                let word = one("NUMBER")?;
                self.seed = word.text.parse().map_err(|_| word.expected("a number"))?;
            }
            "snaplen" => {
                let word = one("BYTES")?;
                let bytes = word.text.parse().map_err(|_| word.expected("a number"))?;
                self.snaplen = Some(bytes);
            }
            "mirror" => {
                let word = one("SECONDS")?;
                let after = seconds(&word.text)
                    .filter(|nanos| *nanos >= 0)
                    .ok_or_else(|| word.expected("a number of seconds"))?;
                self.mirror = Some(after);
            }
            "tunnel" => {
                let word = one("NAME")?;
                let known = Tunnel::by_name(&word.text);
                self.tunnel = Some(known.ok_or_else(|| word.expected("the name of a tunnel"))?);
            }
            "only" => {
                let word = one("FROM>TO")?;
                let (from, to) = word
                    .text
                    .split_once('>')
                    .ok_or_else(|| word.expected("a direction such as C>S"))?;
                self.only = Some((self.find(from, word.place)?, self.find(to, word.place)?));
            }
            _ => {
                // Taken out while it asks for the stations.
                let mut net = std::mem::take(&mut self.net);
                let known = net.line(self, first, rest);
                self.net = net;
                if !known? {
                    return Err(first.expected(
                        "client, server, ethernet, start, seed, snaplen, mirror, tunnel, only, \
                         link, segment, router or service (or a time)",
                    ));
                }
            }
        }
        Ok(())
    }

    /// The number of the station with this name.
    pub(super) fn find(&self, name: &str, place: Place) -> Result<usize, Fault> {
        self.stations
            .iter()
            .position(|station| station.name == name)
            .ok_or_else(|| place.fault(format!("no station `{name}` has been introduced")))
    }

    fn station(&mut self, side: Side, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let [name, kind, address, options @ ..] = rest else {
            let shape = format!(
                "expected `{} NAME ipx|nbipx|spx|idp|spp|nbp|tcp|udp|nbf|last|decnet ADDRESS`",
                first.text
            );
            return Err(first.fault(shape));
        };
        let called = names(&name.text)
            .ok_or_else(|| name.expected("a name, or several as A..O or WS1..WS15"))?;
        let again = |called: &&String| self.stations.iter().any(|known| known.name == **called);
        if let Some(again) = called.iter().find(again) {
            return Err(name.fault(format!("station `{again}` is there already")));
        }
        let options = Options::new(options, first.place, 0);
        let given = Given {
            side,
            name: &name.text,
            address,
            options: &options,
        };
        let (address, mac, most) = given.reached_by(kind)?;
        let mac = match options.text("mac")? {
            None => mac,
            Some(text) => hex(&text.replace('-', ""))
                .ok_or_else(|| options.place.fault("mac= needs 00-00-1b-00-00-01"))?,
        };
        let framing = match options.text("framing")? {
            None => None,
            Some(text) => {
                let fault = "framing= needs raw, ii, llc or snap";
                Some(framing_by_name(text).ok_or_else(|| options.place.fault(fault))?)
            }
        };
        let on = match options.text("on")? {
            None => vec![0],
            Some(text) => text
                .split(',')
                .map(|name| {
                    self.net.find(name).ok_or_else(|| {
                        options.fault("on", &format!("names `{name}`, which is no segment yet"))
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        let station = Station {
            on,
            framing,
            vlan: options.maybe("vlan")?,
            name: name.text.clone(),
            side,
            address,
            mac,
            hops: options.or("hops", 0)?,
            unnumbered: options.flag("unnumbered")?,
            most: options.or("most", most as u64)? as usize,
            buffer: options.maybe::<u32>("buffer")?.map(|bytes| bytes as usize),
        };
        if station.most == 0 && most != 0 {
            return Err(options.place.fault("most= needs at least 1 byte"));
        }
        if station.buffer == Some(0) {
            return Err(options.place.fault("buffer= needs at least 1 byte"));
        }
        if station.buffer.is_some() && !matches!(station.address, StationAddress::Last) {
            return Err(options.place.fault("buffer= is for stations of LAST"));
        }
        options.done()?;
        let single = called.len() == 1;
        let named = called.into_iter().zip(0..).map(|(name, by)| {
            let mut address = station.address.plus(by);
            if let (
                StationAddress::Nbf { name: spoken, .. }
                | StationAddress::Nbipx { name: spoken, .. },
                false,
            ) = (&mut address, single)
            {
                *spoken = nbf::name(&name, spoken[15]);
            }
            Station {
                name,
                address,
                mac: next_mac(station.mac, by),
                ..station.clone()
            }
        });
        self.stations.extend(named);
        Ok(())
    }
}

/// What tells where a station is reached.
struct Given<'a> {
    side: Side,
    name: &'a str,
    address: &'a Word,
    options: &'a Options,
}

/// Where a station is reached, its MAC address, and most bytes of data in one of its frames.
type Reached = Result<(StationAddress, Mac, usize), Fault>;

impl Given<'_> {
    fn reached_by(&self, kind: &Word) -> Reached {
        match kind.text.as_str() {
            "ipx" => self
                .ipx()
                .map(|ipx| (StationAddress::Ipx(ipx), ipx.node, 0)),
            "idp" => self
                .ipx()
                .map(|idp| (StationAddress::Idp(idp), idp.node, 0)),
            "spp" => self.spp(),
            "nbipx" => self.nbipx(),
            "spx" => self.spx(),
            "tcp" => self.socket(StationAddress::Tcp),
            "udp" => self.socket(StationAddress::Udp),
            "nbp" => Ok((StationAddress::Nbp, self.mac("02-60-8c-00-00-01")?, 0)),
            "nbf" => self.nbf(),
            "last" => Ok((
                StationAddress::Last,
                self.mac("08-00-2b-00-00-01")?,
                last::MOST,
            )),
            "decnet" => self.decnet(),
            _ => {
                Err(kind.expected("ipx, nbipx, spx, idp, spp, nbp, tcp, udp, nbf, last or decnet"))
            }
        }
    }

    /// One of these, for a client and for a server.
    fn or<T>(&self, client: T, server: T) -> T {
        match self.side {
            Side::Client => client,
            Side::Server => server,
        }
    }

    fn mac(&self, such_as: &str) -> Result<Mac, Fault> {
        let wanted = || self.address.expected(&format!("a MAC address, {such_as}"));
        hex(&self.address.text.replace('-', "")).ok_or_else(wanted)
    }

    fn netbios_name(&self) -> Result<[u8; 16], Fault> {
        let spoken = self.options.text("name")?.unwrap_or(self.name);
        Ok(nbf::name(spoken, self.or(0, 0x20)))
    }

    fn ipx(&self) -> Result<ipx::Address, Fault> {
        let wanted = "network.node:socket in hexadecimal digits";
        ipx_address(&self.address.text).ok_or_else(|| self.address.expected(wanted))
    }

    fn connection(&self) -> Result<u16, Fault> {
        self.options.or("connection", self.or(0x1001, 0x2002))
    }

    fn spp(&self) -> Reached {
        let idp = self.ipx()?;
        let listens = match self.options.text("listens")? {
            None => None,
            Some(text) => {
                let fault = "listens= needs a socket in hexadecimal digits";
                let bytes = hex(text).ok_or_else(|| self.options.place.fault(fault))?;
                Some(u16::from_be_bytes(bytes))
            }
        };
        let address = StationAddress::Spp {
            idp,
            connection: self.connection()?,
            listens,
        };
        // 576, the largest packet of XNS, less 30 and 12.
        Ok((address, idp.node, 534))
    }

    fn nbipx(&self) -> Reached {
        let ipx = self.ipx()?;
        let address = StationAddress::Nbipx {
            ipx,
            name: self.netbios_name()?,
            connection: self.connection()?,
        };
        // 1500 less 30 bytes of IPX and 18 of NBIPX.
        Ok((address, ipx.node, 1452))
    }

    fn spx(&self) -> Reached {
        let ipx = self.ipx()?;
        let size: Option<u16> = self.options.maybe("size")?;
        let address = StationAddress::Spx {
            ipx,
            connection: self.connection()?,
            size,
        };
        // 576, the largest packet that every router takes, less 30 and 12;
        // in SPX II what is agreed on less 30 and 14.
        let most = size.map_or(534, |size| size.saturating_sub(44).into());
        Ok((address, ipx.node, most))
    }

    fn socket(&self, kind: fn(Socket) -> StationAddress) -> Reached {
        let wanted = "address:port, such as 10.0.0.1:139";
        let found = ip_socket(&self.address.text).ok_or_else(|| self.address.expected(wanted))?;
        let [a, b, c, d] = found.address.octets();
        Ok((kind(found), [2, 0, a, b, c, d], 1460))
    }

    fn nbf(&self) -> Reached {
        let mac = self.mac("00-00-1b-00-00-01")?;
        let name = self.netbios_name()?;
        let session = self.options.or("session", self.or(5, 7))?;
        // 1500 less 4 bytes of LLC and 14 of NBF.
        Ok((StationAddress::Nbf { name, session }, mac, 1482))
    }

    fn decnet(&self) -> Reached {
        let wanted = "area.node, such as 1.13";
        let node = decnet_node(&self.address.text).ok_or_else(|| self.address.expected(wanted))?;
        let address = StationAddress::Decnet {
            node,
            link: self.options.or("link", self.or(0x1001, 0x2002))?,
            long: self.options.flag("long")?,
            padding: self.options.or("padding", 0)?,
        };
        if matches!(address, StationAddress::Decnet { padding: 128.., .. }) {
            return Err(self.options.place.fault("padding= is at most 127"));
        }
        // 1500 less 23 bytes of routing header and 11 of NSP.
        Ok((address, decnet::mac(node), 1466))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::words::split;

    fn settings(text: &str) -> Result<Settings, Fault> {
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(index, line)| split(index + 1, line).unwrap())
            .collect();
        Settings::parse(&lines)
    }

    #[test]
    fn stations_of_every_kind() {
        let s = settings(
            "client C ipx 00000022.020000002201:4003 hops=2\n\
             client D tcp 10.0.0.1:1025 most=512\n\
             server S nbf 00-00-1b-00-00-09 name=filesrv session=9\n\
             ethernet llc vlan=5\n\
             only C>S\n",
        )
        .unwrap();
        assert_eq!(s.stations[0].mac, [2, 0, 0, 0, 0x22, 1]);
        assert_eq!(s.stations[0].hops, 2);
        assert_eq!(s.stations[1].mac, [2, 0, 10, 0, 0, 1]);
        assert_eq!(s.stations[1].most, 512);
        assert!(matches!(
            s.stations[2].address,
            StationAddress::Nbf { session: 9, .. }
        ));
        assert_eq!((s.framing, s.vlan), (Framing::Llc, Some(5)));
        assert_eq!(s.only, Some((0, 2)));
    }

    #[test]
    fn faults_name_the_word() {
        for (text, line, column) in [
            ("client C ipx 22.1:4003", 1, 14),
            ("client C ham 22.1:4003", 1, 10),
            ("client C tcp 10.0.0.1:1\nserver C tcp 10.0.0.2:2", 2, 8),
            ("only A>B", 1, 6),
            ("weather fine", 1, 1),
            ("client C tcp 10.0.0.1:1 mots=3", 1, 25),
        ] {
            let fault = settings(text).unwrap_err();
            assert_eq!(
                (fault.place.line, fault.place.column),
                (line, column),
                "{text}"
            );
        }
    }
}
