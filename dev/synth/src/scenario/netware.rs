//! The lines that begin with `netware`: what servers and stations tell each other beside NCP.

use super::error::Fault;
use super::words::{Options, Word};

/// The data of one IPX packet.
pub(super) fn message(verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
    let connection = || options.or("connection", 7);
    let bytes = match verb.text.as_str() {
        "watchdog" => vec![connection()?, b'?'],
        "still-there" => vec![connection()?, b'Y'],
        "message-waits" => vec![connection()?, b'!'],
        "serial-number" => {
            let serial: u64 = options.or("number", 0x0061_2ab5_4000)?;
            serial.to_be_bytes()[2..].to_vec()
        }
        "ping" => ping(0, options)?,
        "ping-reply" => ping(1, options)?,
        _ => {
            return Err(verb.expected(
                "watchdog, still-there, message-waits, serial-number, ping or ping-reply",
            ));
        }
    };
    options.done()?;
    Ok(bytes)
}

fn ping(kind: u8, options: &Options) -> Result<Vec<u8>, Fault> {
    let id: u16 = options.or("id", 1)?;
    let mut bytes = b"Ping\x01".to_vec();
    bytes.push(kind);
    bytes.extend(id.to_be_bytes());
    bytes.extend([0, 0]);
    bytes.resize(bytes.len() + options.bytes("data", 100)?, b'P');
    Ok(bytes)
}
