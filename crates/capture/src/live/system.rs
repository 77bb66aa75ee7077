//! What the operating system tells about an interface beside libpcap. Other systems than
//! Linux do not tell it here, and then nothing is known.

use std::path::PathBuf;

/// The state of an interface: it is another one when its index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) index: u32,
    pub(super) up: bool,
}

/// `None` if it is not there, or nobody knows.
pub(super) fn state(name: &str) -> Option<State> {
    /// IFF_UP of Linux' if.h.
    const UP: u32 = 1;
    let index = read(name, "ifindex")?.parse().ok()?;
    let flags = read(name, "flags")?;
    let flags = u32::from_str_radix(flags.trim_start_matches("0x"), 16).ok()?;
    Some(State {
        index,
        up: flags & UP != 0,
    })
}

/// Bits per second. Only of what has hardware behind it: virtual interfaces make one up.
pub(super) fn speed(name: &str) -> Option<u64> {
    folder(name)?.join("device").exists().then_some(())?;
    let megabits: u64 = read(name, "speed")?.parse().ok()?;
    megabits.checked_mul(1_000_000).filter(|speed| *speed > 0)
}

/// Bytes that it has received since it is there.
pub(super) fn received_bytes(name: &str) -> Option<u64> {
    read(name, "statistics/rx_bytes")?.parse().ok()
}

fn folder(name: &str) -> Option<PathBuf> {
    // A name is no path.
    let plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
    (cfg!(target_os = "linux") && plain).then(|| PathBuf::from("/sys/class/net").join(name))
}

fn read(name: &str, file: &str) -> Option<String> {
    let text = std::fs::read_to_string(folder(name)?.join(file)).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_known() {
        for name in ["", ".", "..", "../net/lo", "no-such-interface", "a\0b"] {
            assert_eq!(state(name), None, "{name}");
            assert_eq!(speed(name), None, "{name}");
            assert_eq!(received_bytes(name), None, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_loopback_interface_is_there_and_has_no_speed() {
        if !std::path::Path::new("/sys/class/net/lo").exists() {
            eprintln!("SKIPPED: no /sys/class/net here");
            return;
        }
        assert_eq!(state("lo").map(|state| state.index), Some(1));
        assert_eq!(speed("lo"), None);
        assert!(received_bytes("lo").is_some());
    }
}
