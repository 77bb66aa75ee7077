//! What stations and servers say, in the words of scenario lines.

use super::{By, Verb};

/// READ_RAW is for as many bytes as this and more.
const RAW: u64 = 4096;

/// The steps before the first record: request and answer.
pub(super) fn opening(by: By, file: u32, name: &str, user: &str) -> Vec<(String, String)> {
    let pair = |ask: String, answer: String| (ask, answer);
    match by {
        By::Ncp | By::Burst => {
            let mut steps = vec![
                pair("ncp create-connection".into(), "ncp reply".into()),
                pair("ncp negotiate-buffer size=1024".into(), "ncp reply".into()),
                pair(
                    format!("ncp open name={name}"),
                    format!("ncp reply handle={file} size=1048576"),
                ),
            ];
            if by == By::Burst {
                steps.push(pair("ncp burst-connect".into(), "ncp reply".into()));
            }
            steps
        }
        By::Core | By::Andx | By::Raw => vec![
            pair("smb1 negotiate".into(), "smb1 negotiate".into()),
            pair(
                format!("smb1 session-setup-andx user={user}"),
                "smb1 session-setup-andx".into(),
            ),
            pair(
                "smb1 tree-connect-andx path=\\\\SERVER\\DATA".into(),
                "smb1 tree-connect-andx".into(),
            ),
            pair(
                format!("smb1 open-andx name=\\{name}"),
                format!("smb1 open-andx fid={file} size=1048576"),
            ),
        ],
    }
}

/// The text of a request for `bytes` bytes.
pub(super) fn request(by: By, verb: Verb, file: u32, offset: u64, bytes: u64) -> String {
    match (by, verb) {
        (By::Ncp, Verb::Read) => format!("ncp read handle={file} offset={offset} length={bytes}"),
        (By::Ncp, Verb::Write) => format!("ncp write handle={file} offset={offset} data={bytes}"),
        (By::Burst, Verb::Read) => {
            format!("burst read handle={file} offset={offset} length={bytes}")
        }
        (By::Burst, Verb::Write) => {
            format!("burst write handle={file} offset={offset} data={bytes}")
        }
        (By::Ncp | By::Burst, _) => "ncp date-and-time".into(),
        (By::Core | By::Raw, Verb::Read) if by == By::Core || bytes < RAW => {
            format!("smb1 read fid={file} offset={offset} length={bytes}")
        }
        (By::Andx, Verb::Read) => {
            format!("smb1 read-andx fid={file} offset={offset} length={bytes}")
        }
        (By::Core | By::Raw, Verb::Read) => {
            format!("smb1 read-raw fid={file} offset={offset} length={bytes}")
        }
        (By::Core | By::Raw, Verb::Write) => {
            format!("smb1 write fid={file} offset={offset} data={bytes}")
        }
        (By::Andx, Verb::Write) => {
            format!("smb1 write-andx fid={file} offset={offset} data={bytes}")
        }
        (By::Core | By::Andx | By::Raw, _) => "smb1 query-information".into(),
    }
}

/// The answer to it.
pub(super) fn answer(by: By, verb: Verb, offset: u64, bytes: u64) -> String {
    match (by, verb) {
        (By::Burst, Verb::Read) => format!("burst read offset={offset} data={bytes}"),
        (By::Burst, Verb::Write) => "burst write".into(),
        (By::Ncp | By::Burst, _) => "ncp reply".into(),
        (By::Core | By::Raw, Verb::Read) if by == By::Core || bytes < RAW => {
            format!("smb1 read offset={offset} data={bytes}")
        }
        (By::Andx, Verb::Read) => format!("smb1 read-andx offset={offset} data={bytes}"),
        (By::Core | By::Raw, Verb::Read) => format!("smb1 raw offset={offset} data={bytes}"),
        (By::Core | By::Raw, Verb::Write) => format!("smb1 write count={bytes}"),
        (By::Andx, Verb::Write) => format!("smb1 write-andx count={bytes}"),
        (By::Core | By::Andx | By::Raw, _) => "smb1 query-information size=1048576".into(),
    }
}

/// The answer when the server cannot.
pub(super) fn failure(by: By, verb: Verb, bytes: u64) -> String {
    match (by, verb) {
        // 0x96: the server is out of memory; STATUS_INSUFF_SERVER_RESOURCES says the same.
        (By::Burst, Verb::Read) => "burst read result=3".into(),
        (By::Burst, Verb::Write) => "burst write result=4".into(),
        (By::Ncp | By::Burst, _) => "ncp reply completion=0x96".into(),
        // A raw read that fails is an empty answer.
        (By::Raw, Verb::Read) if bytes >= RAW => "smb1 raw data=0".into(),
        (By::Andx, Verb::Read) => "smb1 read-andx status=0xc0000205".into(),
        (By::Core | By::Raw, Verb::Read) => "smb1 read status=0xc0000205".into(),
        (By::Andx, Verb::Write) => "smb1 write-andx status=0xc0000205".into(),
        (By::Core | By::Raw, Verb::Write) => "smb1 write status=0xc0000205".into(),
        (By::Core | By::Andx | By::Raw, _) => "smb1 query-information status=0xc0000205".into(),
    }
}
