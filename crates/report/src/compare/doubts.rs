//! What speaks against a comparison.

use super::Compared;
use super::words::key_name;
use crate::figures::{Grouped, Percent};
use crate::time::Short;
use wirewait_judge::compare::Caveat;

/// What speaks against it, a sentence each.
pub(crate) fn doubts(compared: &Compared<'_>, number: usize) -> Vec<String> {
    let (base, name) = (compared.name(0), compared.name(number + 1));
    let Some(verdict) = compared.comparison.verdicts.get(number) else {
        return Vec::new();
    };
    let whose = |is_base: bool| if is_base { &base } else { &name };
    let share = |thousandths: u64| Percent(thousandths, 1000);
    let mut all: Vec<String> = verdict
        .doubts
        .iter()
        .map(|doubt| match doubt {
            Caveat::Poor { base } => {
                format!("Doubt: much is missing from {}, a poor capture.", whose(*base))
            }
            Caveat::Unknown { base, share: part } => format!(
                "Doubt: {} of the time in {} is unknown (requests or responses may be missing from the capture); \
                 only the rest is compared.",
                share(*part),
                whose(*base)
            ),
            Caveat::OnlyIn {
                base: is_base,
                share: part,
                key,
            } => format!(
                "Doubt: {} of the requests in {} are of operations that {} does not have, such as {}.",
                share(*part),
                whose(*is_base),
                whose(!*is_base),
                key_name(key)
            ),
            Caveat::Mix {
                distance,
                key,
                base: was,
                other: is,
            } => format!(
                "Doubt: another mix of operations ({} of them differ): {} is {} of the requests in \
                 {name}, {} in {base}.",
                share(*distance),
                key_name(key),
                share(*is),
                share(*was)
            ),
            Caveat::Size {
                kind,
                base: was,
                other: is,
            } => {
                let sizes = format!(
                    "a {} moves {} bytes on average in {name}, {} in {base}",
                    kind.name(),
                    Grouped(*is),
                    Grouped(*was)
                );
                match verdict.work {
                    Some(_) => format!("Compared by bytes: {sizes}."),
                    None => format!("Doubt: {sizes}."),
                }
            }
            Caveat::Clients(was, is) => format!(
                "Doubt: another load: {} in {name}, {} in {base}.",
                clients(*is),
                clients(*was)
            ),
            Caveat::Idle(was, is) => format!(
                "Doubt: {} of the elapsed time is idle in {name}, {} in {base}; elapsed time and \
                 what is counted by it depend on that.",
                share(*is),
                share(*was)
            ),
            Caveat::Elsewhere(was, is) => {
                let ns = |ns: u64| compared.digits.span(ns);
                format!(
                    "Doubt: with the clients' pauses a request took about as long as before, {} (was {}): \
                     the captures were made at different places, or the clients keep a pace of \
                     their own.",
                    ns(*is),
                    ns(*was)
                )
            }
            Caveat::Coarse {
                base: is_base,
                tick_ns,
            } => format!(
                "Doubt: the clock of {} ticks each {}: single times are off by up to a tick, and no test compares them.",
                whose(*is_base),
                compared.digits.span(*tick_ns)
            ),
            Caveat::MeanDisagrees => {
                "Doubt: most requests changed one way, their mean the other: a few very long ones \
                 decide it."
                    .to_owned()
            }
        })
        .collect();
    if verdict.pauses_moved {
        let think = Short(compared.settings().think_ns);
        all.push(format!(
            "Doubt: pauses between requests, around {think}, are idle time in one of the two and active \
             time in the other, so that active time does not decide; --think sets the limit."
        ));
    }
    all
}

fn clients(n: u64) -> String {
    match n {
        1 => "1 client".to_owned(),
        n => format!("{} clients", Grouped(n)),
    }
}
