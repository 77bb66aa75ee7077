//! What a report says about its input, beyond what the analysis knows.

use crate::symptoms::Texts;

/// One interface, as the capture file describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// What the capturing program called it, if the file says.
    pub name: Option<String>,
    /// The kind of link: a LINKTYPE value of the pcap formats.
    pub link_type: u16,
    /// Frames lost before they got into the file, as the capturing program counted them;
    /// `None` if it does not say.
    pub dropped: Option<u64>,
    /// Frames that reached the capturing program and are not in the files; `None` if these
    /// do not tell.
    pub not_saved: Option<u64>,
}

/// What frames come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Capture files, or a pipe.
    #[default]
    Files,
    /// Interfaces of this machine.
    Interfaces,
}

/// The input of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The files, as the user named them; of a live capture the interfaces.
    pub files: Vec<String>,
    /// What these are.
    pub origin: Origin,
    /// Which of their frames were wanted.
    pub selection: Selection,
    /// Its interfaces, by number.
    pub interfaces: Vec<Interface>,
    /// What was wrong with the files, one sentence each.
    pub damage: Vec<String>,
    /// What is said about symptoms.
    pub texts: Texts,
    /// The busiest TCP ports of the first frames, with their frames: said where there is no file traffic.
    pub tcp_ports: Vec<(u16, u64)>,
}

/// Which frames of the input were wanted, as the user put it; all of them by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Frames from this moment on.
    pub since: Option<String>,
    /// Frames before this moment.
    pub until: Option<String>,
    /// Frames that match this expression.
    pub filter: Option<String>,
}

impl Selection {
    /// The conditions that were given.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("since", &self.since),
            ("until", &self.until),
            ("filter", &self.filter),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// What a TCP port is mostly for.
pub(crate) const fn service(port: u16) -> Option<&'static str> {
    Some(match port {
        20 | 21 => "FTP",
        22 => "SSH",
        25 => "SMTP",
        53 => "DNS",
        80 | 8080 => "HTTP",
        88 => "Kerberos",
        111 => "portmapper",
        135 => "RPC",
        139 => "NetBIOS",
        389 => "LDAP",
        443 => "HTTPS",
        445 => "SMB",
        524 => "NCP",
        548 => "AFP",
        873 => "rsync",
        1433 => "SQL Server",
        2049 => "NFS",
        3260 => "iSCSI",
        3306 => "MySQL",
        3389 => "Remote Desktop",
        5432 => "PostgreSQL",
        _ => return None,
    })
}

impl About {
    /// Frames lost before they got into the files, on all interfaces that say.
    #[must_use]
    pub fn dropped(&self) -> Option<u64> {
        self.interfaces
            .iter()
            .filter_map(|interface| interface.dropped)
            .reduce(u64::saturating_add)
    }

    /// Frames that reached the capturing program and are not in the files, on all
    /// interfaces of which the files tell.
    #[must_use]
    pub fn not_saved(&self) -> Option<u64> {
        self.interfaces
            .iter()
            .filter_map(|interface| interface.not_saved)
            .reduce(u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_is_unknown_only_if_no_interface_says() {
        let silent = Interface::default();
        let lost = |n| Interface {
            dropped: Some(n),
            ..Interface::default()
        };
        let about = |interfaces| About {
            interfaces,
            ..About::default()
        };
        assert_eq!(about(vec![silent.clone()]).dropped(), None);
        assert_eq!(about(vec![silent, lost(0)]).dropped(), Some(0));
        assert_eq!(about(vec![lost(1), lost(2)]).dropped(), Some(3));
    }
}
