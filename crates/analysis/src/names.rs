//! Names of dialects, users, shares and files, as far as they crossed the wire in clear,
//! and what the wire calls them afterwards.
//!
//! A name is told once, by the request that opens what it names. From the answer on the
//! wire has a number for it, good within the conversation. Both are kept here: the names,
//! each once, and the numbers. Like every table these give up what was untouched for
//! longest; what was named before the capture began has no name.

use crate::bounds::{Bound, Hits};
use crate::table::Table;
use std::fmt::Write as _;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Id, Input, Names, Naming, Text};

/// Characters of a name that are kept; behind them stands an ellipsis.
pub const LONGEST_NAME: usize = 255;

/// Dialects of one offer that are kept.
const OFFERS: usize = 32;

/// What is known by name of where an operation happened. All are as the wire has them, and
/// not yet safe for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The dialect that was agreed on.
    pub dialect: Option<Arc<str>>,
    /// The user who set up the session or connected the share.
    pub user: Option<Arc<str>>,
    /// The share or volume.
    pub share: Option<Arc<str>>,
    /// The file, directory or pipe, as the request that opened it or the request itself
    /// named it.
    pub path: Option<Arc<str>>,
    /// The share is one of pipes, or this is a pipe: what is read there has no place in a file.
    pub pipes: bool,
}

/// What the wire numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    Session(Id),
    Tree(Id),
    File(u128),
    /// A lease of a file, by what a break of it is called.
    Lease(Id),
    /// A remote procedure call was written into the pipe with this handle.
    Call(u128),
}

/// Which kinds of names a request told itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) user: bool,
    pub(crate) share: bool,
    pub(crate) path: bool,
}

/// The names of one capture.
pub(crate) struct KnownNames {
    texts: Table<Arc<str>, ()>,
    places: Table<Arc<Place>, ()>,
    numbers: Table<(u64, Number), Arc<Place>>,
    /// The first conversation of a session that may get others; `None` where two conversations began one with this
    /// number, with two servers.
    sessions: Table<Id, Option<SessionStart>>,
    /// For each name the one shown in its stead.
    pseudonyms: Option<Pseudonyms>,
    /// Numbers that were given up because there were too many.
    pub(crate) evicted: u64,
    pub(crate) hits: Hits,
    scratch: String,
}

/// The conversation that began a session, and its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionStart {
    pub(crate) conversation: u64,
    pub(crate) client: Endpoint,
}

struct Pseudonyms {
    of: Table<(Naming, Box<str>), u64>,
    next: [u64; 4],
}

impl KnownNames {
    /// At most `capacity` names and as many numbers. With `private` every name of a user,
    /// share or file, and every name that is looked for, is replaced by a number, the same for the same name.
    pub(crate) fn new(capacity: usize, private: bool) -> Self {
        Self {
            texts: Table::new(capacity),
            places: Table::new(capacity),
            numbers: Table::new(capacity),
            sessions: Table::new(capacity),
            pseudonyms: private.then(|| Pseudonyms {
                of: Table::new(capacity),
                next: [0; 4],
            }),
            evicted: 0,
            hits: Hits::NONE,
            scratch: String::new(),
        }
    }

    /// What is behind this number in this conversation.
    pub(crate) fn find(&mut self, conversation: u64, number: Number) -> Option<Arc<Place>> {
        let found = self.numbers.find(&(conversation, number))?;
        self.numbers.get_mut(found).map(|place| Arc::clone(place))
    }

    /// This conversation began a session.
    pub(crate) fn begins_session(&mut self, session: Id, start: SessionStart) {
        if let Some(found) = self.sessions.find(&session)
            && let Some(of) = self.sessions.get_mut(found)
        {
            *of = of.filter(|of| of.conversation == start.conversation);
            return;
        }
        let (_, evicted) = self.sessions.insert(session, Some(start));
        self.evicted = self.evicted.saturating_add(u64::from(evicted.is_some()));
    }

    /// What began this session, if that is known. It is this one, where none was captured.
    pub(crate) fn joins_session(
        &mut self,
        session: Id,
        start: SessionStart,
    ) -> Option<SessionStart> {
        if self.sessions.find(&session).is_none() {
            self.begins_session(session, start);
        }
        let found = self.sessions.find(&session)?;
        *self.sessions.get_mut(found)?
    }

    /// From now on this number stands for `place`.
    pub(crate) fn bind(&mut self, conversation: u64, number: Number, place: &Arc<Place>) {
        let key = (conversation, number);
        if let Some(found) = self.numbers.find(&key)
            && let Some(value) = self.numbers.get_mut(found)
        {
            value.clone_from(place);
            return;
        }
        let (_, evicted) = self.numbers.insert(key, Arc::clone(place));
        self.evicted = self.evicted.saturating_add(u64::from(evicted.is_some()));
    }

    /// The number stands for nothing any more.
    pub(crate) fn unbind(&mut self, conversation: u64, number: Number) {
        if let Some(found) = self.numbers.find(&(conversation, number)) {
            self.numbers.take(found);
        }
    }

    /// The place that a message names, within `base`; and what it named itself.
    pub(crate) fn read(
        &mut self,
        names: fn(Input<'_>, Names<'_>),
        input: Input<'_>,
        base: Option<&Arc<Place>>,
    ) -> (Option<Arc<Place>>, Told) {
        self.read_by(|found| names(input, found), base)
    }

    /// The place that these names tell, within `base`; and what was told.
    pub(crate) fn read_by(
        &mut self,
        names: impl FnOnce(Names<'_>),
        base: Option<&Arc<Place>>,
    ) -> (Option<Arc<Place>>, Told) {
        let mut place = base.map(|base| Place::clone(base)).unwrap_or_default();
        let mut told = Told::default();
        let mut offers = String::new();
        let mut offered = 0;
        names(&mut |naming, text| {
            if naming == Naming::Dialect {
                if offered < OFFERS {
                    let gap = if offered > 0 { "\n" } else { "" };
                    // A string takes everything.
                    let _ = write!(offers, "{gap}{}", Clipped(text));
                } else {
                    self.hits.hit(Bound::Dialects);
                }
                offered += 1;
                return;
            }
            if naming == Naming::Pipes {
                place.pipes = true;
                return;
            }
            if naming == Naming::Station {
                return;
            }
            let Some(name) = self.intern(naming, text) else {
                return;
            };
            let (field, told) = match naming {
                Naming::User => (&mut place.user, &mut told.user),
                Naming::Share => (&mut place.share, &mut told.share),
                Naming::Path | Naming::Dialect | Naming::Pipes | Naming::Station => {
                    (&mut place.path, &mut told.path)
                }
            };
            place.pipes &= naming != Naming::Share;
            // The first one names what is worked on (the old name of a file renamed).
            if !std::mem::replace(told, true) {
                *field = Some(name);
            }
        });
        if told.share && !told.path {
            place.path = None;
        }
        if offered > 0 {
            place.dialect = self.text(&offers);
        }
        (self.place(place), told)
    }

    /// The name that a query looks for.
    #[cold]
    pub(crate) fn sought(
        &mut self,
        names: fn(Input<'_>, Names<'_>),
        input: Input<'_>,
    ) -> Option<Arc<str>> {
        let mut found = None;
        names(input, &mut |naming, text| {
            if naming == Naming::Station && found.is_none() {
                found = self.intern(naming, text);
            }
        });
        found
    }

    /// The place, whose share is one of pipes, or which is a pipe itself.
    pub(crate) fn of_pipes(&mut self, place: Option<&Arc<Place>>) -> Option<Arc<Place>> {
        let place = place.map(|place| Place::clone(place)).unwrap_or_default();
        self.place(Place {
            pipes: true,
            ..place
        })
    }

    /// The place with the dialect of its offer that was chosen.
    pub(crate) fn chosen(&mut self, place: &Arc<Place>, choice: u16) -> Option<Arc<Place>> {
        let chosen = place.dialect.as_ref()?.lines().nth(usize::from(choice));
        let chosen = chosen.map(str::to_owned);
        let dialect = chosen.and_then(|name| self.text(&name));
        self.place(Place {
            dialect,
            ..Place::clone(place)
        })
    }

    /// The one copy of this place; `None` if nothing is named.
    fn place(&mut self, place: Place) -> Option<Arc<Place>> {
        if place == Place::default() {
            return None;
        }
        if let Some(known) = self.places.key(&place) {
            return Some(known);
        }
        let place = Arc::new(place);
        self.places.insert(Arc::clone(&place), ());
        Some(place)
    }

    fn intern(&mut self, naming: Naming, text: Text<'_>) -> Option<Arc<str>> {
        let mut name = std::mem::take(&mut self.scratch);
        name.clear();
        let _ = write!(name, "{}", Clipped(text));
        if let (Some(pseudonyms), false) = (&mut self.pseudonyms, name.is_empty()) {
            pseudonyms.replace(naming, &mut name);
        }
        let found = self.text(&name);
        self.scratch = name;
        found
    }

    /// The one copy of this name; `None` if it is empty.
    fn text(&mut self, name: &str) -> Option<Arc<str>> {
        if name.is_empty() {
            return None;
        }
        if let Some(known) = self.texts.key(name) {
            return Some(known);
        }
        let name: Arc<str> = name.into();
        self.texts.insert(Arc::clone(&name), ());
        Some(name)
    }
}

impl Pseudonyms {
    fn replace(&mut self, naming: Naming, name: &mut String) {
        let (word, kind) = match naming {
            Naming::Dialect | Naming::Pipes => return,
            Naming::User => ("user", 0),
            Naming::Share => ("share", 1),
            Naming::Path => ("file", 2),
            Naming::Station => ("name", 3),
        };
        // Users and shares have names without regard to capitals, as in the rows.
        let known = match naming {
            Naming::User | Naming::Share => name.to_lowercase().into(),
            _ => name.as_str().into(),
        };
        let key = (naming, known);
        let number = match self.of.find(&key).and_then(|found| self.of.get_mut(found)) {
            Some(number) => *number,
            None => {
                self.next[kind] += 1;
                self.of.insert(key, self.next[kind]);
                self.next[kind]
            }
        };
        name.clear();
        let _ = write!(name, "{word}-{number}");
    }
}

/// A name, not longer than names are kept.
struct Clipped<'a>(Text<'a>);

impl std::fmt::Display for Clipped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut clip = Clip { taken: 0, out: f };
        write!(clip, "{}", self.0)
    }
}

struct Clip<'a, 'f> {
    taken: usize,
    out: &'a mut std::fmt::Formatter<'f>,
}

impl std::fmt::Write for Clip<'_, '_> {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        for c in s.chars() {
            match self.taken {
                ..LONGEST_NAME => self.out.write_char(c)?,
                LONGEST_NAME => self.out.write_char('\u{2026}')?,
                _ => return Ok(()),
            }
            self.taken += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `u`, `s`, `p` or `d`, then the name, up to a bar; `!` for pipes.
    fn told(input: Input<'_>, names: Names<'_>) {
        for item in input.bytes.split(|b| *b == b'|') {
            let naming = match item.first() {
                Some(b'u') => Naming::User,
                Some(b's') => Naming::Share,
                Some(b'p') => Naming::Path,
                Some(b'!') => Naming::Pipes,
                _ => Naming::Dialect,
            };
            names(naming, Text::Bytes(item.get(1..).unwrap_or_default()));
        }
    }

    fn read(known: &mut KnownNames, text: &str, base: Option<&Arc<Place>>) -> Option<Arc<Place>> {
        known.read(told, Input::whole(text.as_bytes()), base).0
    }

    fn words(place: &Place) -> [Option<&str>; 4] {
        [&place.dialect, &place.user, &place.share, &place.path].map(Option::as_deref)
    }

    /// A query names a station, and no place. In private each name has a number.
    #[test]
    fn a_name_that_is_looked_for() {
        let station = |input: Input<'_>, names: Names<'_>| {
            names(Naming::Station, Text::Bytes(input.bytes));
        };
        for (private, expected) in [
            (false, ["FS1<20>", "FS2<20>"]),
            (true, ["name-1", "name-2"]),
        ] {
            let mut known = KnownNames::new(10, private);
            for (n, name) in [(0, "FS1<20>"), (1, "FS2<20>"), (0, "FS1<20>")] {
                let input = Input::whole(name.as_bytes());
                let found = known.sought(station, input);
                assert_eq!(found.as_deref(), Some(expected[n]));
                assert_eq!(known.read(station, input, None).0, None);
            }
        }
    }

    #[test]
    fn names_add_up_from_the_session_to_the_file() {
        let mut known = KnownNames::new(10, false);
        let offer = read(&mut known, "dLANMAN1.0|dNT LM 0.12", None).unwrap();
        let base = known.chosen(&offer, 1).unwrap();
        let session = read(&mut known, "uGUEST", Some(&base)).unwrap();
        let tree = read(&mut known, r"s\\FS1\DATA", Some(&session)).unwrap();
        let file = read(&mut known, r"p\a.txt|p\b.txt", Some(&tree)).unwrap();
        assert_eq!(
            words(&file),
            [
                Some("NT LM 0.12"),
                Some("GUEST"),
                Some(r"\\FS1\DATA"),
                Some(r"\a.txt")
            ]
        );
        assert!(Arc::ptr_eq(
            &file,
            &read(&mut known, r"p\a.txt", Some(&tree)).unwrap()
        ));
        assert_eq!(known.chosen(&offer, 7).map(|p| p.dialect.clone()), None);
    }

    #[test]
    fn a_share_of_pipes_is_one_until_another_is_named() {
        let mut known = KnownNames::new(10, true);
        let pipes = read(&mut known, "sIPC$|!", None).unwrap();
        assert!(pipes.pipes);
        assert!(read(&mut known, r"p\srvsvc", Some(&pipes)).unwrap().pipes);
        assert!(!read(&mut known, "sDATA", Some(&pipes)).unwrap().pipes);
    }

    #[test]
    fn a_number_is_good_within_its_conversation() {
        let mut known = KnownNames::new(2, false);
        let place = read(&mut known, "pX", None).unwrap();
        known.bind(1, Number::File(7), &place);
        assert_eq!(known.find(1, Number::File(7)), Some(Arc::clone(&place)));
        assert_eq!(known.find(2, Number::File(7)), None);
        known.bind(2, Number::File(7), &place);
        known.bind(3, Number::File(7), &place);
        assert_eq!(known.find(1, Number::File(7)), None);
        assert_eq!(known.evicted, 1);
        known.unbind(3, Number::File(7));
        assert_eq!(known.find(3, Number::File(7)), None);
    }

    #[test]
    fn private_names_are_numbers_the_same_for_the_same_name() {
        let mut known = KnownNames::new(10, true);
        let one = read(&mut known, "uANNA|sHR|ppay.xls", None).unwrap();
        let two = read(&mut known, "uBERT|sHr|ppay.xls", None).unwrap();
        assert_eq!(
            words(&one),
            [None, Some("user-1"), Some("share-1"), Some("file-1")]
        );
        assert_eq!((&two.path, &two.share), (&one.path, &one.share));
        let capital = read(&mut known, "pPAY.xls", None).unwrap();
        assert_eq!(capital.path.as_deref(), Some("file-2"));
        assert_eq!(two.user.as_deref(), Some("user-2"));
    }

    #[test]
    fn a_long_name_is_cut_where_it_shows() {
        let mut known = KnownNames::new(10, false);
        let place = read(&mut known, &format!("p{}", "x".repeat(5000)), None).unwrap();
        let path = place.path.clone().unwrap();
        assert_eq!(path.chars().count(), LONGEST_NAME + 1);
        assert!(path.ends_with("x\u{2026}"));
    }

    #[test]
    fn nothing_named_is_nothing() {
        assert_eq!(read(&mut KnownNames::new(10, false), "p|s|u", None), None);
    }

    impl KnownNames {
        /// Two dialects more are offered than are kept.
        pub(crate) fn overrun() -> Hits {
            let mut known = KnownNames::new(10, false);
            read(&mut known, &["dA"; OFFERS + 2].join("|"), None);
            known.hits
        }
    }
}
