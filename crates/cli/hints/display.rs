//! Wireshark's display filters, in the syntax of capture filters.

/// Fields that capture filters have, too: Wireshark's name, ours.
const FIELDS: [(&str, &str); 18] = [
    ("tcp.port", "tcp port"),
    ("tcp.srcport", "tcp src port"),
    ("tcp.dstport", "tcp dst port"),
    ("udp.port", "udp port"),
    ("udp.srcport", "udp src port"),
    ("udp.dstport", "udp dst port"),
    ("ip.addr", "host"),
    ("ip.src", "src host"),
    ("ip.dst", "dst host"),
    ("ip.host", "host"),
    ("ipv6.addr", "host"),
    ("ipv6.src", "src host"),
    ("ipv6.dst", "dst host"),
    ("eth.addr", "ether host"),
    ("eth.src", "ether src"),
    ("eth.dst", "ether dst"),
    ("eth.type", "ether proto"),
    ("vlan.id", "vlan"),
];

/// NetBEUI with the acknowledgements of LLC: both SAPs are f0, but for the bit that tells commands from responses.
/// libpcap's `netbeui` has only the commands.
const NETBEUI: &str = "(llc and ether[14:2] & 0xfefe = 0xf0f0)";

/// Protocols by name: Wireshark's, ours.
const PROTOCOLS: [(&str, &str); 18] = [
    ("smb2", "tcp port 445"),
    ("smb", "(tcp port 445 or tcp port 139)"),
    ("nbss", "tcp port 139"),
    ("nbns", "udp port 137"),
    ("nbdgm", "udp port 138"),
    ("ncp", "(ipx or tcp port 524)"),
    ("netbios", NETBEUI),
    ("nbf", NETBEUI),
    ("nbt", "tcp port 139"),
    ("nbipx", "ipx"),
    ("spx", "ipx"),
    ("ipx", "ipx"),
    ("tcp", "tcp"),
    ("udp", "udp"),
    ("ip", "ip"),
    ("ipv6", "ip6"),
    ("arp", "arp"),
    ("icmp", "icmp"),
];

/// The condition as a capture filter (`tcp.port == 445` is `tcp port 445`); `None` if it has
/// a part that capture filters lack.
pub(crate) fn in_capture_syntax(display: &str) -> Option<String> {
    let tokens = tokens(display);
    let mut made: Vec<String> = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let word = first.to_ascii_lowercase();
        let joined = match word.as_str() {
            "and" | "&&" => Some("and"),
            "or" | "||" => Some("or"),
            "not" | "!" => Some("not"),
            "(" => Some("("),
            ")" => Some(")"),
            _ => None,
        };
        if let Some(joined) = joined {
            made.push(joined.to_owned());
            continue;
        }
        if let Some((_, ours)) = FIELDS.iter().find(|(name, _)| *name == word) {
            let (relation, behind) = rest.split_first()?;
            let (value, behind) = behind.split_first()?;
            rest = behind;
            match relation.as_str() {
                "==" | "eq" => made.push(format!("{ours} {value}")),
                "!=" | "ne" => made.push(format!("not {ours} {value}")),
                _ => return None,
            }
            continue;
        }
        let (_, ours) = PROTOCOLS.iter().find(|(name, _)| *name == word)?;
        made.push((*ours).to_owned());
    }
    let text = made.join(" ").replace("( ", "(").replace(" )", ")");
    (!text.is_empty()).then_some(text)
}

/// Names that are wirewait's, and not Wireshark's.
#[cfg(any(feature = "libpcap", test))]
const OWN: [&str; 3] = ["nbf", "nbt", "nbipx"];

/// Ports that somebody may name by what they are for.
#[cfg(any(feature = "libpcap", test))]
const PORTS: [(&str, u16); 7] = [
    ("smb", 445),
    ("smb2", 445),
    ("cifs", 445),
    ("nbss", 139),
    ("nbt", 139),
    ("netbios", 139),
    ("ncp", 524),
];

/// What to write for libpcap's `netbeui`, if a filter has it.
#[cfg(any(feature = "libpcap", test))]
pub(crate) fn lacks_responses(text: &str) -> Option<&'static str> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word == "netbeui").then_some(NETBEUI)
}

/// The first of wirewait's own names of protocols in a filter.
#[cfg(any(feature = "libpcap", test))]
pub(crate) fn own_name(text: &str) -> Option<&'static str> {
    let words = tokens(text);
    OWN.into_iter()
        .find(|own| words.iter().any(|word| word.eq_ignore_ascii_case(own)))
}

/// A port by a name that libpcap does not know, and its number.
#[cfg(any(feature = "libpcap", test))]
pub(crate) fn unknown_port(text: &str) -> Option<(String, u16)> {
    let words = tokens(text);
    words.windows(2).find_map(|two| {
        let name = two[1].to_ascii_lowercase();
        let (_, number) = PORTS.iter().find(|(known, _)| *known == name)?;
        (two[0] == "port").then(|| (two[1].clone(), *number))
    })
}

/// Whether somebody who knows display filters wrote this.
#[cfg(any(feature = "libpcap", test))]
pub(crate) fn is_display_syntax(text: &str) -> bool {
    let tokens = tokens(text);
    let field = |word: &String| {
        word.split_once('.').is_some_and(|(protocol, field)| {
            let letters = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
            letters(protocol) && letters(field)
        })
    };
    let relation = |word: &String| {
        matches!(
            word.as_str(),
            "==" | "!=" | "eq" | "ne" | "contains" | "matches" | ">" | "<"
        )
    };
    let followed = tokens
        .windows(2)
        .any(|pair| field(&pair[0]) && relation(&pair[1]));
    let alone = |word: &String| {
        let only_theirs = [
            "smb2", "smb", "nbss", "nbns", "nbdgm", "ncp", "netbios", "ipv6", "nbf", "nbt",
            "nbipx", "spx",
        ];
        only_theirs.contains(&word.to_ascii_lowercase().as_str()) || field(word)
    };
    followed || tokens.iter().any(alone)
}

/// Words, numbers and signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    let end = |word: &mut String, tokens: &mut Vec<String>| {
        if !word.is_empty() {
            tokens.push(std::mem::take(word));
        }
    };
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\n' => end(&mut word, &mut tokens),
            '(' | ')' => {
                end(&mut word, &mut tokens);
                tokens.push(c.to_string());
            }
            '=' | '!' | '<' | '>' | '&' | '|' => {
                end(&mut word, &mut tokens);
                let mut sign = c.to_string();
                if let Some(next) = rest.next_if(|next| matches!(next, '=' | '&' | '|')) {
                    sign.push(next);
                }
                tokens.push(sign);
            }
            _ => word.push(c),
        }
    }
    end(&mut word, &mut tokens);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_languages_can_say() {
        for (display, capture) in [
            ("tcp.port == 445", "tcp port 445"),
            (
                "ip.addr==10.0.0.1 && smb2",
                "host 10.0.0.1 and tcp port 445",
            ),
            (
                "!(eth.src eq 00:00:1b:00:00:01)",
                "not (ether src 00:00:1b:00:00:01)",
            ),
            (
                "ip.src != 10.0.0.1 or ncp",
                "not src host 10.0.0.1 or (ipx or tcp port 524)",
            ),
        ] {
            assert_eq!(
                in_capture_syntax(display).as_deref(),
                Some(capture),
                "{display}"
            );
        }
        for only_theirs in [
            "smb2.cmd == 8",
            "tcp.port > 1024",
            "http",
            "",
            "tcp.port ==",
        ] {
            assert_eq!(in_capture_syntax(only_theirs), None, "{only_theirs}");
        }
    }

    #[test]
    fn own_names_and_names_of_ports_are_no_display_syntax() {
        assert_eq!(own_name("nbf and host a"), Some("nbf"));
        assert_eq!(own_name("smb2"), None);
        assert_eq!(in_capture_syntax("nbf").as_deref(), Some(NETBEUI));
        assert_eq!(unknown_port("tcp port smb"), Some(("smb".to_owned(), 445)));
        assert_eq!(unknown_port("port ssh or smb"), None);
    }

    #[test]
    fn netbeui_lacks_responses() {
        assert_eq!(lacks_responses("(netbeui) or ipx"), Some(NETBEUI));
        assert_eq!(lacks_responses("llc proto \\netbeui"), Some(NETBEUI));
        assert_eq!(lacks_responses("tcp port 445"), None);
        assert_eq!(lacks_responses(NETBEUI), None);
    }

    #[test]
    fn display_syntax_is_recognised() {
        for theirs in [
            "tcp.port == 445",
            "smb2",
            "smb2.cmd==8",
            "ncp && ipx",
            "frame.len > 64",
        ] {
            assert!(is_display_syntax(theirs), "{theirs}");
        }
        for ours in [
            "tcp port 445",
            "host 10.0.0.1 and and",
            "ether[0] & 1 = 0",
            "port",
        ] {
            assert!(!is_display_syntax(ours), "{ours}");
        }
    }
}
