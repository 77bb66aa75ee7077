//! Writes a bulk capture as classic pcap with nanosecond stamps:
//! `cargo run --release -p wirewait-synth --example bulk -- SHAPE FRAMES SEED FILE [CLIENTS [SERVERS]]`.
//! `-` is standard output. What is true of it goes to standard error; of `churn` it is true of
//! the 30 clients that stay, at the servers 02:00:00:ff:00:00 and :01 and 10.2.0.0 and 10.2.0.1.

use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;
use wirewait_synth::Shape;
use wirewait_synth::bulk::{Attack, Bulk};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("bulk: {what}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let [shape, frames, seed, file, rest @ ..] = words else {
        return Err("usage: bulk SHAPE FRAMES SEED FILE [CLIENTS [SERVERS]]".into());
    };
    let shape = Shape::by_name(shape).ok_or_else(|| {
        let attacks: Vec<_> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        let attacks = attacks.join(", ");
        format!("SHAPE is ncp, smbtcp, smbnbf, smb2, opens, mix, churn, {attacks}")
    })?;
    let number = |text: &String| text.parse().map_err(|_| format!("{text} is not a number"));
    let frames: u64 = number(frames)?;
    let clients = rest.first().map_or(Ok(50), number)?;
    let servers = rest.get(1).map(number).transpose()?;
    let servers = servers.map(u32::try_from).transpose();
    let generator = Bulk {
        shape,
        clients: u32::try_from(clients).map_err(|_| "too many CLIENTS")?,
        servers: servers.map_err(|_| "too many SERVERS")?,
        seed: number(seed)?,
    };
    let failed = |error: std::io::Error| format!("{file}: {error}");
    let out: Box<dyn Write> = if file == "-" {
        Box::new(stdout().lock())
    } else {
        Box::new(File::create(file).map_err(failed)?)
    };
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let mut header = Vec::new();
    for word in [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 65535, 1] {
        header.extend(word.to_le_bytes());
    }
    let mut result = out.write_all(&header);
    let truth = generator.run(frames, &mut |frame| {
        let at = frame.at.as_nanos();
        let mut record = [0; 16];
        let words = [
            (at / 1_000_000_000) as u32,
            (at % 1_000_000_000) as u32,
            frame.bytes.len() as u32,
            frame.wire_len,
        ];
        for (place, word) in record.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        if result.is_ok() {
            result = out
                .write_all(&record)
                .and_then(|()| out.write_all(frame.bytes));
        }
    });
    result.and_then(|()| out.flush()).map_err(failed)?;
    eprintln!(
        "{} frames, {} bytes, {} requests, {} answered, turnaround mean {} ns, max {} ns",
        truth.frames,
        truth.bytes,
        truth.requests,
        truth.answered,
        truth.turnaround_mean(),
        truth.turnaround_max
    );
    Ok(())
}
