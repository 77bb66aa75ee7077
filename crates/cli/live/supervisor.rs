//! The state of a capture for a service manager, by systemd's protocol (sd_notify(3)).
//!
//! The socket is opened before the program gives up its rights, since the sandbox lets nothing open
//! one later: libraries open one for each message.

use std::env;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

/// The service manager that started the program, if one did.
pub(super) struct Supervisor {
    socket: Option<File>,
    /// Between two signs of life: half of what the manager waits for.
    pause: Option<Duration>,
    told: Instant,
}

impl Supervisor {
    /// The one that the environment names (`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`).
    pub(super) fn of_environment() -> Self {
        let number = |name| env::var(name).ok()?.parse::<u64>().ok();
        let another =
            number("WATCHDOG_PID").is_some_and(|pid| pid != u64::from(std::process::id()));
        let waits = number("WATCHDOG_USEC").filter(|_| !another);
        Self {
            socket: socket(),
            pause: waits.map(|us| Duration::from_micros(us / 2)),
            told: Instant::now(),
        }
    }

    /// Frames are captured from now on.
    pub(super) fn ready(&mut self) {
        self.tell("READY=1");
    }

    /// The loop goes round. Says so when it is time.
    pub(super) fn alive(&mut self) {
        if self.pause.is_some_and(|pause| self.told.elapsed() >= pause) {
            self.told = Instant::now();
            self.tell("WATCHDOG=1");
        }
    }

    /// The configuration is read again; [`Self::ready`] follows.
    pub(super) fn reloading(&mut self) {
        if let Some(us) = monotonic_us() {
            self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={us}"));
        }
    }

    /// The capture is over; its report comes.
    pub(super) fn stopping(&mut self) {
        self.tell("STOPPING=1");
    }

    fn tell(&mut self, what: &str) {
        if let Some(socket) = &mut self.socket {
            // A manager that does not listen is no reason to lose a frame.
            let _ = socket.write(what.as_bytes());
        }
    }
}

/// The clock by which a manager tells this reload from an earlier one.
#[cfg(target_os = "linux")]
fn monotonic_us() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let us = u64::try_from(time.tv_sec).ok()?.checked_mul(1_000_000)?;
    us.checked_add(u64::try_from(time.tv_nsec).ok()? / 1000)
}

#[cfg(not(target_os = "linux"))]
fn monotonic_us() -> Option<u64> {
    None
}

/// A socket is written to as a file is: the sandbox allows that, and no more.
#[cfg(target_os = "linux")]
fn socket() -> Option<File> {
    use std::os::fd::OwnedFd;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let named = env::var_os("NOTIFY_SOCKET")?;
    let address = match named.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&named),
    };
    let socket = UnixDatagram::unbound().ok()?;
    socket.connect_addr(&address.ok()?).ok()?;
    socket.set_nonblocking(true).ok()?;
    Some(File::from(OwnedFd::from(socket)))
}

#[cfg(not(target_os = "linux"))]
fn socket() -> Option<File> {
    None
}
