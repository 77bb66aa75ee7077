//! seccomp: system calls that nothing here needs, refused with EPERM.
//!
//! The lists name what is refused, not what is allowed. An allow-list would have to know every
//! system call of the C library, libpcap, the resolver and the terminal on every processor and in
//! every version to come; one that is missing breaks the program where nobody tested it. Files,
//! the other half of what an intruder needs, are Landlock's.
//!
//! Two filters: all threads lose what starts programs, looks into other processes or changes the
//! system; threads that read captures lose the network, too. Only those that copy frames from
//! interfaces keep that, as they open an interface again that went away. `sendto` stays: the C
//! library wakes the screen with it when the window changes.

/// Which threads it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Every thread.
    All,
    /// Threads that read captures, on top of that.
    Readers,
    /// The thread that answers scrapes, on top of that: it takes connections.
    Listener,
}

/// Puts a filter on this thread and those it starts from now on. How many system calls it refuses,
/// or why there is no filter.
pub(super) fn confine(filter: Filter) -> Result<usize, String> {
    calls::confine(filter)
}

/// What seccompiler has no table for.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
mod calls {
    pub(super) fn confine(_: super::Filter) -> Result<usize, String> {
        Err("not on this processor".to_owned())
    }
}

#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
))]
mod calls;
