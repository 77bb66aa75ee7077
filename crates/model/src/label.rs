//! Users, shares and files by name.

use crate::figures::Grouping;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use wirewait_wire::Endpoint;

/// A user, share or file of a server.
///
/// Users and shares are compared without regard to upper and lower case: no specification says so,
/// but Windows, Samba (smb.conf(5): names of sections are not case sensitive) and NetWare do. The
/// server's part of a share's name counts, since aliases of one server can have shares of their own
/// (MS-SRVS 3.1.6.8). Whether files have capitals is up to the server: theirs are compared as they
/// are. What is shown is the first of the spellings in the order of their bytes, which depends on no
/// other order.
#[derive(Clone, Debug)]
pub struct Label {
    /// What `name` names.
    pub by: Grouping,
    /// The server's station.
    pub server: Endpoint,
    /// The share of a file, if known.
    pub share: Option<Arc<str>>,
    /// The name as the wire has it; not yet safe for a terminal.
    pub name: Arc<str>,
}

impl Label {
    /// Takes the spelling of a label that is equal to this one where that comes first.
    pub fn respell(&mut self, equal: &Self) {
        debug_assert_eq!(self, equal);
        if equal.share < self.share {
            self.share.clone_from(&equal.share);
        }
        if equal.name < self.name {
            self.name = Arc::clone(&equal.name);
        }
    }

    /// The share of this file, as a label of its own.
    #[must_use]
    pub fn of_share(&self) -> Option<Self> {
        Some(Self {
            by: Grouping::Share,
            server: self.server,
            share: None,
            name: Arc::clone(self.share.as_ref()?),
        })
    }

    /// Whether an equal label is spelled as this one, too.
    #[must_use]
    pub fn is_spelled_as(&self, equal: &Self) -> bool {
        (&self.share, &self.name) == (&equal.share, &equal.name)
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.by, self.server)
            .cmp(&(other.by, other.server))
            .then_with(|| match (&self.share, &other.share) {
                (Some(one), Some(another)) => letters(one).cmp(letters(another)),
                (one, another) => one.is_some().cmp(&another.is_some()),
            })
            .then_with(|| match self.by {
                Grouping::User | Grouping::Share => letters(&self.name).cmp(letters(&other.name)),
                Grouping::File => self.name.cmp(&other.name),
            })
    }
}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Label {}

impl Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.by, self.server).hash(state);
        let mut add = |name: &str| letters(name).for_each(|letter| letter.hash(state));
        if let Some(share) = &self.share {
            add(share);
        }
        match self.by {
            Grouping::User | Grouping::Share => add(&self.name),
            Grouping::File => self.name.hash(state),
        }
    }
}

/// The letters of a name, without regard to upper and lower case.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    fn label(by: Grouping, share: Option<&str>, name: &str) -> Label {
        Label {
            by,
            server: Endpoint::mac([2, 0, 0, 0, 0, 1]),
            share: share.map(Arc::from),
            name: name.into(),
        }
    }

    #[test]
    fn the_first_spelling_is_shown() {
        let mut one = label(Grouping::File, Some("Pub"), "a");
        one.respell(&label(Grouping::File, Some("pub"), "a"));
        assert_eq!(one.share.as_deref(), Some("Pub"));
        one.respell(&label(Grouping::File, Some("PUB"), "a"));
        assert_eq!(one.share.as_deref(), Some("PUB"));
        let mut one = label(Grouping::User, None, "guest");
        one.respell(&label(Grouping::User, None, "Guest"));
        assert_eq!(&*one.name, "Guest");
    }

    #[test]
    fn users_and_shares_have_no_capitals_and_files_do() {
        let user = |name| label(Grouping::User, None, name);
        let share = |name| label(Grouping::Share, None, name);
        let file = |share, name| label(Grouping::File, Some(share), name);
        for (one, another) in [
            (user("GUEST"), user("guest")),
            (user("B\u{c4}R"), user("b\u{e4}r")),
            (share("PUB"), share("pub")),
            (share(r"\\FS1\Pub"), share(r"\\fs1\pUB")),
            (file(r"\\FS1\PUB", "a"), file(r"\\fs1\pub", "a")),
        ] {
            assert_eq!(one, another);
            let both = [one, another];
            assert_eq!(HashSet::from(both.clone()).len(), 1, "{both:?}");
            assert_eq!(BTreeSet::from(both.clone()).len(), 1, "{both:?}");
        }
        let all = [
            user("GUEST"),
            user(r"D\GUEST"),
            share("GUEST"),
            share(r"\\FS1\GUEST"),
            share(r"\\FS2\GUEST"),
            label(Grouping::File, None, "a"),
            file("PUB", "a"),
            file("PUB", "A"),
            file("PUB2", "a"),
        ];
        assert_eq!(HashSet::from(all.clone()).len(), all.len());
        assert_eq!(BTreeSet::from(all.clone()).len(), all.len());
    }
}
