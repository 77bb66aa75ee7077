//! Lines that begin with `rip`: what routers and servers tell everyone about networks.

use super::error::Fault;
use super::net::NetSegment;
use super::station::{Settings, StationAddress};
use super::wire::Wire;
use super::words::{Options, Word};
use super::work::Map;
use crate::bytes::Put;
use crate::ethernet::{self, Header, Mac};
use crate::ipx;

/// The socket of the routing information protocol, and its packet type.
const SOCKET: u16 = 0x0453;
const TYPE: u8 = 1;

/// `R1>LAN rip routes=00000033:1:2,00000044:2:3`: networks, hops and ticks, told to all
/// on a cable.
pub(super) fn tell(
    settings: &Settings,
    map: &Map,
    wire: &mut Wire,
    from: &Word,
    to: &Word,
    options: &Options,
    at: i64,
) -> Result<(), Fault> {
    let named = |segment: &NetSegment| segment.name == to.text;
    let cable = map.cables.iter().position(named);
    let cable = cable.ok_or_else(|| to.expected("a segment"))?;
    let source = sender(settings, map, from, cable)?;
    let routes = options
        .text("routes")?
        .and_then(|text| text.split(',').map(route).collect::<Option<Vec<_>>>())
        .ok_or_else(|| {
            options.fault("rip", "needs routes=NET:HOPS:TICKS, several between commas")
        })?;
    options.done()?;
    let mut data = Vec::new();
    // A response, asked for or not.
    data.be16(2);
    for (net, hops, ticks) in routes {
        data.be32(net).be16(hops).be16(ticks);
    }
    let net = map.cables[cable].net;
    let end = |node| ipx::Address {
        net,
        node,
        socket: SOCKET,
    };
    let packet = ipx::packet(&end(source), &end(ethernet::BROADCAST), TYPE, 0, &data);
    let header = Header {
        destination: ethernet::BROADCAST,
        source,
        vlan: settings.vlan,
    };
    wire.tune(map.interfaces[cable]);
    // To nobody in particular: no station has this number.
    wire.put(
        at,
        usize::MAX,
        usize::MAX,
        ipx::frame(&header, settings.framing, &packet),
    );
    Ok(())
}

/// The address on this cable of a router, or of a server that is one.
fn sender(settings: &Settings, map: &Map, from: &Word, cable: usize) -> Result<Mac, Fault> {
    let routers = &settings.net.routers;
    if let Some(router) = routers.iter().find(|router| router.name == from.text) {
        let side = router.between.iter().position(|side| *side == cable);
        let side = side.ok_or_else(|| from.fault("this router is not on that segment"))?;
        return Ok(router.macs[side]);
    }
    let station = settings.find(&from.text, from.place)?;
    let seen = &map.views[cable].stations[station];
    match seen.address {
        StationAddress::Ipx(_) if seen.on.contains(&cable) => Ok(seen.mac),
        _ => Err(from.fault("this station is not on that segment, or does not speak IPX")),
    }
}

/// `00000033:1:2`
fn route(text: &str) -> Option<(u32, u16, u16)> {
    let mut parts = text.split(':');
    let net = u32::from_str_radix(parts.next()?, 16).ok()?;
    let (hops, ticks) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some((net, hops, ticks))
}
