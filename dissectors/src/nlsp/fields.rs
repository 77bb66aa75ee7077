//! NLSP field by field.

use super::{DISCRIMINATOR, PRIORITY, TYPE, packet, type_name};
use crate::{ipx, sap};
use wirewait_wire::{Endpoint, Fields};

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    if f.u8("Protocol discriminator")? != DISCRIMINATOR {
        f.hex();
        return f.rest("Data").map(|_| ());
    }
    f.hex();
    f.u8("Header length")?;
    f.u8("Minor version")?;
    f.u8("Reserved")?;
    let kind = f.u8("Type")?;
    f.hex();
    f.flag(0x80, "Multi-homed server that does not route", "yes", "no");
    f.bits(TYPE.into(), "Packet type");
    let kind = kind & TYPE;
    f.means(type_name(kind).unwrap_or("unknown"));
    f.u8("Major version")?;
    f.be16("Reserved")?;
    match kind {
        packet::LAN_HELLO | packet::WAN_HELLO => hello(f, kind)?,
        packet::LSP => link_state(f)?,
        packet::CSNP | packet::PSNP => list(f, kind)?,
        _ => return f.rest("Data").map(|_| ()),
    }
    while f.left() >= 2 {
        option(f)?;
    }
    f.rest("Trailing bytes").map(|_| ())
}

fn hello(f: &mut Fields<'_>, kind: u8) -> Option<()> {
    let lan = kind == packet::LAN_HELLO;
    f.u8("Circuit")?;
    f.hex();
    if lan {
        f.flag(0x10, "Multicast", "takes multicasts", "broadcasts only");
    } else {
        let state = f.bits(0xc0, "State");
        f.means(match state {
            0 => "up",
            1 => "initializing",
            2 => "down",
            _ => "unknown",
        });
    }
    let circuit = f.bits(0x03, "Circuit type");
    f.means(match circuit {
        1 => "level 1",
        2 => "level 2",
        3 => "levels 1 and 2",
        _ => "reserved",
    });
    system(f, "Sending router system ID")?;
    f.be16("Holding time")?;
    f.means("seconds");
    f.be16("Packet length")?;
    f.u8("Designated router")?;
    f.bits(PRIORITY.into(), "Priority");
    if lan {
        system(f, "Designated router system ID")?;
        f.u8("Designated router pseudonode")?;
    } else {
        f.u8("Local circuit ID")?;
    }
    Some(())
}

fn link_state(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Packet length")?;
    f.be16("Remaining lifetime")?;
    f.means("seconds");
    identifier(f, "LSP ID")?;
    f.be32("Sequence number")?;
    f.hex();
    f.be16("Checksum")?;
    f.hex();
    f.u8("Flags")?;
    f.hex();
    f.flag(0x80, "Partition repair", "able", "not able");
    f.bits(0x78, "Attached flag");
    f.flag(0x04, "Database", "overloaded", "not overloaded");
    let router = f.bits(0x03, "Router type");
    f.means(match router {
        1 => "level 1",
        3 => "levels 1 and 2",
        _ => "unknown",
    });
    Some(())
}

fn list(f: &mut Fields<'_>, kind: u8) -> Option<()> {
    f.be16("Packet length")?;
    system(f, "Source system ID")?;
    f.u8("Source pseudonode")?;
    if kind == packet::CSNP {
        identifier(f, "First LSP ID")?;
        identifier(f, "Last LSP ID")?;
    }
    Some(())
}

/// One option: code, length, value. What is left of a value is shown as data.
fn option(f: &mut Fields<'_>) -> Option<()> {
    let &[code, length, ..] = f.peek() else {
        return f.bytes(2, "Option").map(|_| ());
    };
    f.open(match code {
        0x06 => "Neighbors",
        0x09 => "LSP entries",
        0xc0 => "Area addresses",
        0xc1 => "Management information",
        0xc2 => "Link information",
        0xc3 => "Services information",
        0xc4 => "External routes",
        0xc5 => "Local MTU",
        _ => "Option",
    });
    f.u8("Code")?;
    f.hex();
    f.u8("Length")?;
    // No field may reach behind the option, nor behind the packet.
    let end = f.at().saturating_add(u32::from(length).min(f.left()));
    let fits = |f: &Fields<'_>, n: u32| f.at().saturating_add(n) <= end;
    match code {
        0x06 => {
            while fits(f, 6) {
                system(f, "Neighbor")?;
            }
        }
        0x09 => {
            while fits(f, 16) {
                f.be16("Remaining lifetime")?;
                f.means("seconds");
                identifier(f, "LSP ID")?;
                f.be32("Sequence number")?;
                f.hex();
                f.be16("Checksum")?;
                f.hex();
            }
        }
        0xc0 => {
            while fits(f, 8) {
                f.be32("Area address")?;
                f.hex();
                f.be32("Mask")?;
                f.hex();
            }
        }
        0xc1 if fits(f, 12) => {
            ipx::network(f, "Network number")?;
            ipx::node(f, "Node number")?;
            f.u8("IPX version")?;
            let name = f.u8("Name length")?;
            if fits(f, name.into()) {
                f.text(name.into(), "Name")?;
            }
        }
        0xc2 if fits(f, 25) => link(f)?,
        0xc3 if fits(f, 15) => {
            f.u8("Hops")?;
            ipx::network(f, "Network number")?;
            ipx::node(f, "Node number")?;
            ipx::socket(f, "Socket")?;
            sap::server_type(f)?;
            f.text(end.saturating_sub(f.at()), "Service name")?;
        }
        0xc4 => {
            while fits(f, 7) {
                f.u8("Hops")?;
                ipx::network(f, "Network number")?;
                f.be16("RIP delay")?;
                f.means("ticks");
            }
        }
        0xc5 if fits(f, 4) => {
            f.be32("MTU size")?;
        }
        _ => {}
    }
    f.until(end, "Data")?;
    f.close();
    Some(())
}

fn link(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Cost")?;
    f.hex();
    if !f.flag(0x80, "Cost", "not given", "given") {
        f.flag(0x40, "Metric", "internal", "external");
        f.bits(0x3f, "Cost");
    }
    f.bytes(3, "Reserved")?;
    system(f, "Router system ID")?;
    f.u8("Router pseudonode")?;
    f.be32("MTU size")?;
    f.be32("Delay")?;
    f.means("microseconds");
    f.be32("Throughput")?;
    f.means("bits per second");
    let medium = f.be16("Media type")?;
    f.hex();
    if let Some(name) = medium_name(medium) {
        f.means(name);
    }
    Some(())
}

fn system(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let system = f.bytes(6, name)?;
    f.shown(Endpoint::mac(system.try_into().ok()?));
    Some(())
}

/// A link state packet's: router, pseudonode, number.
fn identifier(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let bytes = f.bytes(8, name)?;
    f.shown(super::identifier(bytes, 0)?);
    Some(())
}

fn medium_name(medium: u16) -> Option<&'static str> {
    Some(match medium {
        0x0000 => "LAN",
        0x8000 => "WAN",
        0x0001 => "LocalTalk",
        0x0002 => "Ethernet II",
        0x0003 => "Ethernet 802.2",
        0x0004 => "Token Ring",
        0x0005 => "Ethernet 802.3",
        0x0006 => "802.4",
        0x000a => "Ethernet SNAP",
        0x000b => "Token Ring SNAP",
        0x000e => "ARCnet",
        0x0014 => "FDDI 802.2",
        0x0017 => "FDDI SNAP",
        0x0013 => "IP tunnel",
        0x800d => "ISDN",
        0x8013 => "IP relay",
        0x801c => "PPP",
        0x801e => "X.25",
        0x801f => "frame relay",
        _ => return None,
    })
}
