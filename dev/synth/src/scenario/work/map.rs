//! Who is where: the way between two stations, and what each cable sees of a station that is
//! behind routers.

use crate::scenario::error::{Fault, Place};
use crate::scenario::net::{Net, NetSegment};
use crate::scenario::notation::next_mac;
use crate::scenario::station::Settings;
use std::collections::VecDeque;

/// The network as the simulation uses it.
pub(in crate::scenario) struct Map {
    pub(in crate::scenario) cables: Vec<NetSegment>,
    /// For each cable the settings as seen there: a station behind routers has the address of
    /// the nearest one, and as many hops.
    pub(in crate::scenario) views: Vec<Settings>,
    /// For each cable its interface in the capture, if it is captured.
    pub(in crate::scenario) interfaces: Vec<Option<u32>>,
}

/// A way: cables, and the routers between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) cables: Vec<usize>,
    pub(super) routers: Vec<usize>,
}

impl Map {
    pub(in crate::scenario) fn new(settings: &Settings) -> Self {
        let net = &settings.net;
        let cables = net.cables();
        let views = (0..cables.len()).map(|cable| view(settings, cable));
        let mut next = 0;
        let interfaces = cables.iter().map(|segment| {
            let number = (!segment.quiet).then_some(next);
            next += u32::from(!segment.quiet);
            number
        });
        Self {
            views: views.collect(),
            interfaces: interfaces.collect(),
            cables,
        }
    }
}

/// The shortest way between two stations.
pub(super) fn way(settings: &Settings, from: usize, to: usize, place: Place) -> Result<Way, Fault> {
    let (from, to) = (&settings.stations[from], &settings.stations[to]);
    let shortest = from
        .on
        .iter()
        .filter_map(|start| find(&settings.net, *start, &to.on))
        .min_by_key(|way| way.routers.len());
    shortest.ok_or_else(|| {
        place.fault(format!(
            "no router leads from `{}` to `{}`",
            from.name, to.name
        ))
    })
}

/// The shortest way from a cable to one of others, by breadth.
fn find(net: &Net, start: usize, goals: &[usize]) -> Option<Way> {
    let mut seen = vec![start];
    let mut open = VecDeque::from([Way {
        cables: vec![start],
        routers: Vec::new(),
    }]);
    while let Some(way) = open.pop_front() {
        let here = *way.cables.last()?;
        if goals.contains(&here) {
            return Some(way);
        }
        for (number, router) in net.routers.iter().enumerate() {
            let there = match router.between {
                [a, b] if a == here => b,
                [a, b] if b == here => a,
                _ => continue,
            };
            if !seen.contains(&there) {
                seen.push(there);
                let mut longer = way.clone();
                longer.cables.push(there);
                longer.routers.push(number);
                open.push_back(longer);
            }
        }
    }
    None
}

fn view(settings: &Settings, cable: usize) -> Settings {
    let mut view = settings.clone();
    for station in &mut view.stations {
        if let Some(side) = station.on.iter().position(|on| *on == cable) {
            // A card for each cable it is on.
            station.mac = next_mac(station.mac, u32::try_from(side).unwrap_or(0));
        } else if let Some(way) = find(&settings.net, cable, &station.on)
            && let Some(router) = way
                .routers
                .first()
                .map(|first| &settings.net.routers[*first])
        {
            let side = usize::from(router.between[0] != cable);
            station.mac = router.macs[side];
            station.hops = u8::try_from(way.routers.len()).unwrap_or(u8::MAX);
        }
    }
    view
}
