//! Whom a symptom concerns, in words.

use crate::table::width;
use wirewait_analysis::Subject;
use wirewait_wire::Endpoint;

/// `10.0.0.1 at 10.0.0.8`.
#[must_use]
pub fn subject(subject: &Subject) -> String {
    subject_of(subject, Endpoint::to_string)
}

/// Characters that an address keeps at least: two at its beginning and four at its end.
const ADDRESS: usize = 9;

/// [`subject`] in `room` characters, with the middle of its addresses left out; wider where not even
/// their beginnings and ends find room.
pub(super) fn subject_within(subject: &Subject, room: usize) -> String {
    let whole = subject_of(subject, Endpoint::to_string);
    let excess = width(&whole).saturating_sub(room);
    if excess == 0 {
        return whole;
    }
    let addresses = match subject {
        Subject::Pair { .. } | Subject::Conversation(..) => 2,
        _ => 1,
    };
    let words = width(&subject_of(subject, |_| String::new()));
    let each = (room.saturating_sub(words) / addresses).max(ADDRESS);
    subject_of(subject, |end| shortened(&end.to_string(), each))
}

/// `00000011...020006`. What tells the stations of a network apart is mostly at the end.
fn shortened(address: &str, room: usize) -> String {
    let length = width(address);
    if length <= room {
        return address.to_owned();
    }
    let kept = room.saturating_sub(3);
    let head: String = address.chars().take(kept / 3).collect();
    let tail: String = address.chars().skip(length - (kept - kept / 3)).collect();
    format!("{head}...{tail}")
}

fn subject_of(subject: &Subject, shown: impl Fn(&Endpoint) -> String) -> String {
    match subject {
        Subject::Segment => "the segment".to_owned(),
        Subject::Server(end) => format!("server {}", shown(end)),
        Subject::Client(end) => format!("client {}", shown(end)),
        Subject::Station(end) => format!("station {}", shown(end)),
        Subject::Pair { client, server } => format!("{} at {}", shown(client), shown(server)),
        Subject::Conversation(a, b) => format!("{} and {}", shown(a), shown(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn an_address_is_shortened_in_its_middle() {
        let subject = samples::snapshot().symptoms.found[0].subject;
        let whole = super::subject(&subject);
        assert_eq!(subject_within(&subject, width(&whole)), whole);
        for (address, room, short) in [
            ("00000011.00001b020006", 21, "00000011.00001b020006"),
            ("00000011.00001b020006", 20, "00000...00001b020006"),
            ("00000011.00001b020006", ADDRESS, "00...0006"),
            ("10.0.0.1", ADDRESS, "10.0.0.1"),
        ] {
            assert_eq!(shortened(address, room), short);
        }
    }
}
