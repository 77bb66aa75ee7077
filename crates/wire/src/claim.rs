//! Open dispatch: a parent owns a [`Table`], a child claims values in it.

/// A dispatch table that one protocol owns and others plug into, known by its name.
///
/// The number is a hash of the name, so that tables need no central list; the registry
/// refuses two names with one number. Tables are compared by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    name: &'static str,
    id: u32,
}

impl Table {
    /// A table of this name, as in `"ethernet.type"`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        // FNV-1a: short, and good enough to tell some dozens of names apart.
        let bytes = name.as_bytes();
        let mut hash: u32 = 0x811c_9dc5;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
            i += 1;
        }
        // 0 stands for none.
        let id = if hash == 0 { 1 } else { hash };
        Self { name, id }
    }

    /// The name it was made with.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The key for one value in this table.
    #[must_use]
    pub const fn key(self, value: u32) -> Key {
        Key { table: self, value }
    }

    /// The key for a payload that has no number, only an appearance.
    #[must_use]
    pub const fn any(self) -> Key {
        self.key(u32::MAX)
    }

    pub(crate) const fn id(self) -> u32 {
        self.id
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Table {}

/// A value in a table: what a payload goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub(crate) table: Table,
    pub(crate) value: u32,
}

impl Key {
    /// The table.
    #[must_use]
    pub const fn table(self) -> Table {
        self.table
    }

    /// The value in it.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.value
    }

    const fn short(self) -> (u32, u32) {
        (self.table.id, self.value)
    }
}

/// What a dissector asks to be given.
#[derive(Clone, Copy, Debug)]
pub enum Claim {
    /// Payloads with this key.
    Exact(Key),
    /// Payloads under this table that begin with these bytes, if no exact claim fits.
    Signature(Table, &'static [u8]),
    /// Payloads under this table that the function accepts, if nothing else fits.
    Probe(Table, fn(&[u8]) -> bool),
}

/// Up to three keys for one payload, tried in order (IPX: lower socket, higher socket,
/// packet type).
///
/// Each layer of each frame has one, so that it is short: it knows tables by their numbers,
/// and the keys that it gives back have tables without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// Tables and values; 0 is no table.
    keys: [(u32, u32); 3],
}

const NO_KEY: (u32, u32) = (0, 0);

impl Next {
    /// Nothing follows.
    pub const NONE: Self = Self { keys: [NO_KEY; 3] };

    /// One key.
    #[must_use]
    #[inline]
    pub const fn one(key: Key) -> Self {
        Self {
            keys: [key.short(), NO_KEY, NO_KEY],
        }
    }

    /// Two keys, the first is tried first.
    #[must_use]
    #[inline]
    pub const fn two(first: Key, second: Key) -> Self {
        Self {
            keys: [first.short(), second.short(), NO_KEY],
        }
    }

    /// Three keys, in the order in which they are tried.
    #[must_use]
    #[inline]
    pub const fn three(first: Key, second: Key, third: Key) -> Self {
        Self {
            keys: [first.short(), second.short(), third.short()],
        }
    }

    /// These keys with one before them; of three, the last one falls out.
    #[must_use]
    pub const fn behind(self, first: Key) -> Self {
        let [one, two, _] = self.keys;
        Self {
            keys: [first.short(), one, two],
        }
    }

    /// The keys, in the order in which they are tried.
    #[inline]
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let keys = self.keys.iter().take_while(|(id, _)| *id != 0);
        keys.map(|(id, value)| Table { name: "", id: *id }.key(*value))
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub const fn is_none(&self) -> bool {
        self.keys[0].0 == 0
    }
}
