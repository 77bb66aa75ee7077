//! Decodes frames for the three-part view.

use super::Job;
use super::hunt::{self, SoughtTransaction};
use super::stock::{Next, Stock};
use crate::failure::Failure;
use crate::watch::Plan;
use std::collections::BTreeSet;
use wirewait::Timestamp;
use wirewait_report::decode::{Decoded, Decoder, Shape, Time};
use wirewait_report::text::Look;

/// Frames decoded at once: more than anyone reads, and a bound for what the screen is handed.
const MOST: usize = 1000;

/// Those of the frames that are in stock; the first frame of the capture was captured at `first`.
/// Gives up where they are not wanted any more.
pub(super) fn decode(
    job: &Job,
    stock: &Stock,
    first: Option<Timestamp>,
    plan: &Plan,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<Decoded>, Failure> {
    let mut numbers: BTreeSet<u64> = match job {
        Job::Frames(numbers) => numbers.clone().take(MOST).collect(),
        Job::Transaction(t) => hunt::frames_of(SoughtTransaction::of(t), stock, plan, is_wanted)?,
        Job::Number(number) => {
            let found =
                hunt::frames_of(SoughtTransaction::Number(*number), stock, plan, is_wanted)?;
            if found.is_empty() && is_wanted() {
                return Err(Failure::Cannot(format!(
                    "there is no request {number} in the capture"
                )));
            }
            found
        }
    };
    while numbers.len() > MOST {
        numbers.pop_last();
    }
    let Some(last) = numbers.last().copied() else {
        return Ok(Vec::new());
    };
    let registry = plan.registry();
    let mut decoder = Decoder::new(&registry, Shape::Detail, Time::Relative, Look::FILE)
        .following(plan.registry());
    let mut decoded = Vec::with_capacity(numbers.len());
    let mut before = 0;
    stock.each(|number, frame, taken| {
        decoder.absent(number.saturating_sub(before + 1), first);
        before = number;
        if taken {
            decoder.pass(frame);
            if numbers.contains(&number) {
                decoded.push(decoder.plain(frame));
            }
        } else {
            decoder.skip(frame);
        }
        match number >= last || !is_wanted() {
            true => Next::Enough,
            false => Next::More,
        }
    })?;
    Ok(decoded)
}
