//! States that somebody forged, with a checksum that is right.

use super::frames::frames;
use super::input::Choices;
use wirewait_analysis::{Analyzer, Settings, Thresholds, Transaction};
use wirewait_dissectors::registry;

/// No state of a few frames is as large, whatever was forged.
const LARGEST: usize = 64 << 20;

/// Interrupts the analysis of some frames, changes what was written down as the input says, and
/// goes on with the rest of them. Whether it was taken.
///
/// # Panics
/// When what must hold does not.
pub(crate) fn go_on_with(data: &[u8]) -> bool {
    let mut choices = Choices(data);
    let edits: Vec<Edit> = (0..choices.byte() % 8)
        .map(|_| Edit::read(&mut choices))
        .collect();
    let seam = usize::from(choices.byte());
    let (settings, frames) = frames(choices.0);
    let seam = seam.min(frames.len());
    let mut analyzer = Analyzer::new(registry(), settings);
    for frame in &frames[..seam] {
        analyzer.frame(frame, &mut ());
    }
    let mut state = analyzer.checkpoint(&[]);
    let front = front(settings);
    for edit in &edits {
        edit.change(&mut state, front);
    }
    seal(&mut state);
    let resumed = Analyzer::resume(registry(), settings, Thresholds::default(), &state);
    let Ok((mut analyzer, _)) = resumed else {
        assert!(!edits.is_empty(), "what was written is read back");
        return false;
    };
    let mut transactions: Vec<Transaction> = Vec::new();
    for frame in &frames[seam..] {
        analyzer.frame(frame, &mut transactions);
    }
    let _ = analyzer.readings();
    let _ = analyzer.snapshot();
    assert!(analyzer.checkpoint(&[]).len() <= LARGEST);
    analyzer.finish(&mut transactions);
    let _ = analyzer.snapshot();
    true
}

/// A change of a byte.
struct Edit {
    at: u32,
    kind: u8,
    byte: u8,
}

impl Edit {
    fn read(choices: &mut Choices<'_>) -> Self {
        let (low, high) = (choices.word(), choices.byte());
        Self {
            at: u32::from(low) | u32::from(high) << 16,
            kind: choices.byte(),
            byte: choices.byte(),
        }
    }

    /// Behind the front, which says what it is.
    fn change(&self, state: &mut Vec<u8>, front: usize) {
        let room = state.len().saturating_sub(front).max(1);
        let at = (front + self.at as usize % room).min(state.len().saturating_sub(1));
        match self.kind % 4 {
            0 => state[at] = self.byte,
            1 => state[at] = state[at].wrapping_add(self.byte),
            2 => state.insert(at, self.byte),
            // A number of several bytes in place of one of a single byte.
            _ => {
                let length = usize::from(self.byte) % 10;
                let large = std::iter::repeat_n(0xff, length).chain([self.byte & 0x7f]);
                state.splice(at..=at, large);
            }
        }
    }
}

/// Where the state begins, behind who wrote it and with which settings.
fn front(settings: Settings) -> usize {
    let [none, one] = [&[][..], &[7]].map(|beside| {
        let analyzer = Analyzer::new(registry(), settings);
        analyzer.checkpoint(beside)
    });
    // Length and checksum differ, too.
    let places = none
        .iter()
        .zip(&one)
        .enumerate()
        .skip(Analyzer::CHECKPOINT_HEAD);
    let mut others = places.filter(|(_, (a, b))| a != b);
    others.next().map_or(none.len(), |(place, _)| place + 1)
}

fn seal(state: &mut [u8]) {
    let (header, rest) = state.split_at_mut(Analyzer::CHECKPOINT_HEAD);
    header[12..20].copy_from_slice(&(rest.len() as u64).to_le_bytes());
    header[20..24].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
}
