//! The interfaces of a capture, numbered across its files.

use crate::completeness::{CountedLosses, Shortfall};
use crate::fault::Fault;
use std::collections::BTreeMap;
use wirewait_wire::LinkType;

/// The most interfaces of one capture; a file that describes more is hostile.
pub(crate) const MAX_INTERFACES: usize = 65_536;

/// One capture point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    /// What the capturing program called it, if the format says.
    pub name: Option<String>,
    /// The kind of link it is on.
    pub link: LinkType,
    /// The most bytes kept of a frame; 0 where there is no limit. The largest value,
    /// if parts of the capture differ.
    pub snaplen: u32,
    /// Bytes of frame check sequence that the file holds at the end of a frame. They
    /// are taken off: neither `Frame::bytes` nor `Frame::wire_len` counts them.
    pub fcs_len: u8,
    /// Bits per second of the link, if the file says.
    pub speed: Option<u64>,
    /// Frames the interface received, as the capturing program counted them.
    pub received: Option<u64>,
    /// Frames lost by the interface or by the operating system, as the capturing
    /// program counted them at its end.
    pub dropped: Option<u64>,
    /// Frames lost, as noted beside single frames (pcapng `epb_dropcount`). Those that the
    /// statistics show to be [not saved](Self::not_saved) are counted there.
    pub dropped_noted: u64,
    /// Frames that reached the capturing program and are not in the files: the disk was
    /// full, the program was killed, or frames were removed from a file later. From the
    /// statistics of the capturing program; `None` where they do not tell. Complete when
    /// all files have been read.
    pub not_saved: Option<u64>,
    /// Frames without a time stamp, which were given that of the frame before them.
    pub untimed: u64,
    /// Frames said to be shorter on the wire than what was captured of them; their
    /// wire length was taken to be the captured one.
    pub lengths_mended: u64,
}

impl Interface {
    /// Frames lost before they got into the capture, as far as it says.
    #[must_use]
    pub fn lost(&self) -> Option<u64> {
        let noted = (self.dropped_noted > 0).then_some(self.dropped_noted);
        self.dropped.max(noted)
    }

    pub(crate) const fn new(link: LinkType, snaplen: u32) -> Self {
        Self {
            name: None,
            link,
            snaplen,
            fcs_len: 0,
            speed: None,
            received: None,
            dropped: None,
            dropped_noted: 0,
            not_saved: None,
            untimed: 0,
            lengths_mended: 0,
        }
    }
}

/// What makes an interface the same one in another file: its name, its link and, for
/// equals in one section, its place among them.
type Identity = (Option<String>, LinkType, u32);

/// All interfaces of a capture.
///
/// A capture cut into files repeats the description of its interfaces in each; as each
/// is recognised again, numbers do not depend on where the cuts are. It can be written down
/// between one file and the next: [`Files::knowing`](crate::Files::knowing).
#[derive(Clone, Debug, Default)]
pub(crate) struct Interfaces {
    list: Vec<Interface>,
    numbers: BTreeMap<Identity, u32>,
    runs: Vec<InterfaceRun>,
}

/// Counters of the present run of the capturing program, and the sum of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
struct InterfaceRun {
    present: CountedLosses,
    earlier: CountedLosses,
}

/// The interfaces of one section (one pcapng section, or one file of another format).
#[derive(Debug, Default)]
pub(crate) struct Section {
    equals: BTreeMap<(Option<String>, LinkType), u32>,
}

impl Interfaces {
    /// All of them; the index is `Frame::interface`.
    #[must_use]
    pub(crate) fn list(&self) -> &[Interface] {
        &self.list
    }

    /// The number of an interface that `section` describes; `None` when there are
    /// too many.
    pub(crate) fn declare(&mut self, section: &mut Section, interface: Interface) -> Option<u32> {
        let equals = section
            .equals
            .entry((interface.name.clone(), interface.link))
            .or_default();
        let identity = (interface.name.clone(), interface.link, *equals);
        *equals += 1;
        if let Some(&number) = self.numbers.get(&identity) {
            if let Some(known) = self.list.get_mut(number as usize) {
                known.snaplen = match (known.snaplen, interface.snaplen) {
                    (0, _) | (_, 0) => 0,
                    (a, b) => a.max(b),
                };
                known.fcs_len = known.fcs_len.max(interface.fcs_len);
                known.speed = known.speed.max(interface.speed);
            }
            return Some(number);
        }
        if self.list.len() >= MAX_INTERFACES {
            return None;
        }
        let number = u32::try_from(self.list.len()).ok()?;
        self.numbers.insert(identity, number);
        self.list.push(interface);
        self.runs.push(InterfaceRun::default());
        Some(number)
    }

    /// The interface `number`, to add to its counters.
    pub(crate) fn at(&mut self, number: u32) -> Option<&mut Interface> {
        self.list.get_mut(number as usize)
    }

    /// The wire length of a frame of interface `number`: at least the captured one. Corrections
    /// are counted.
    #[inline]
    pub(crate) fn wire_len(&mut self, number: u32, captured: u32, wire: u32) -> u32 {
        if wire >= captured {
            return wire;
        }
        if let Some(interface) = self.at(number) {
            interface.lengths_mended = interface.lengths_mended.saturating_add(1);
        }
        captured
    }

    /// Takes in counters. They run on from file to file of one run of the capturing
    /// program, so the last of a run holds; different runs add up.
    pub(crate) fn count(&mut self, number: u32, counted: CountedLosses) {
        let (Some(interface), Some(run)) = (
            self.list.get_mut(number as usize),
            self.runs.get_mut(number as usize),
        ) else {
            return;
        };
        if run.present.began != counted.began {
            run.earlier.received = sum(run.earlier.received, run.present.received);
            run.earlier.dropped = sum(run.earlier.dropped, run.present.dropped);
            run.present = CountedLosses::default();
        }
        run.present = CountedLosses {
            began: counted.began,
            received: run.present.received.max(counted.received),
            dropped: run.present.dropped.max(counted.dropped),
            ..CountedLosses::default()
        };
        interface.received = sum(run.earlier.received, run.present.received);
        interface.dropped = sum(run.earlier.dropped, run.present.dropped);
    }

    /// Takes in what a section that has been read to its end does not hold.
    pub(crate) fn miss(&mut self, number: u32, shortfall: Shortfall) {
        if let Some(interface) = self.at(number) {
            interface.not_saved = sum(interface.not_saved, Some(shortfall.frames));
            interface.dropped_noted = interface.dropped_noted.saturating_sub(shortfall.noted);
        }
    }
}

/// The interfaces of one file whose format does not describe any: each is met with its
/// first frame.
#[derive(Debug, Default)]
pub(crate) struct Met {
    section: Section,
    numbers: BTreeMap<(Option<String>, LinkType), u32>,
}

impl Met {
    /// The number of an interface, told from others by its name and link.
    pub(crate) fn number(
        &mut self,
        all: &mut Interfaces,
        interface: &Interface,
    ) -> Result<u32, Fault> {
        let key = (interface.name.clone(), interface.link);
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        let number = all
            .declare(&mut self.section, interface.clone())
            .ok_or_else(|| Fault::damaged(0, "the capture has too many interfaces"))?;
        self.numbers.insert(key, number);
        Ok(number)
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, link: LinkType) -> Interface {
        let mut interface = Interface::new(link, 100);
        interface.name = Some(name.to_owned());
        interface
    }

    #[test]
    fn the_same_description_is_the_same_interface() {
        let mut all = Interfaces::default();
        let mut first = Section::default();
        let plain = Interface::new(LinkType::ETHERNET, 100);
        assert_eq!(all.declare(&mut first, plain.clone()), Some(0));
        assert_eq!(
            all.declare(&mut first, plain.clone()),
            Some(1),
            "two equals in one section are two"
        );
        assert_eq!(
            all.declare(&mut first, named("eth0", LinkType::ETHERNET)),
            Some(2)
        );
        assert_eq!(
            all.declare(&mut first, named("eth0", LinkType::RAW)),
            Some(3)
        );

        let mut second = Section::default();
        assert_eq!(
            all.declare(&mut second, named("eth0", LinkType::ETHERNET)),
            Some(2)
        );
        let mut longer = plain;
        longer.snaplen = 0;
        assert_eq!(all.declare(&mut second, longer), Some(0));
        assert_eq!(
            all.list()[0].snaplen,
            0,
            "0 is no limit, the largest of all"
        );
        assert_eq!(all.list().len(), 4);
    }

    #[test]
    fn counters_of_a_ring_run_on_and_of_two_runs_add_up() {
        let mut all = Interfaces::default();
        all.declare(
            &mut Section::default(),
            Interface::new(LinkType::ETHERNET, 0),
        );
        let counted = |began, received, dropped| CountedLosses {
            began: Some(began),
            received: Some(received),
            dropped,
            ..CountedLosses::default()
        };
        all.count(0, counted(1, 10, None));
        all.count(0, counted(1, 25, Some(2)));
        assert_eq!(all.list()[0].received, Some(25));
        all.count(0, counted(9, 5, Some(1)));
        assert_eq!(all.list()[0].received, Some(30));
        assert_eq!(all.list()[0].dropped, Some(3));
        all.count(7, counted(9, 5, Some(1)));
        assert_eq!(all.list().len(), 1, "an unknown interface is ignored");
    }
}
