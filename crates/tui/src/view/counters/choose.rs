//! Which lines are on the chart: an object, whose, which of its counters.

use super::{instance, scale_text, value};
use crate::Command;
use crate::context::Context;
use crate::model::Model;
use crate::place::Place;
use crate::state::{MOST, power};
use crate::table::{AnyRows, Cell, Head, List, RowIdentity, Value, columns_of};
use crate::theme::Tone;
use crate::view::View;
use wirewait_report::counters::{Chart, CounterPlace as Whose, Kind, Listed, Pick};
use wirewait_report::words::Grouped;

/// The objects of Performance Monitor.
pub(in crate::view) struct Objects;

/// The instances of one of them.
pub(in crate::view) struct Instances;

/// The counters of one or all of these.
pub(in crate::view) struct Kinds;

fn listed(model: &Model) -> Vec<Listed> {
    let feed = model.feed.as_ref();
    feed.map_or_else(Vec::new, |feed| feed.counters.listed())
}

fn of(model: &Model, object: &str) -> Option<Listed> {
    let mut all = listed(model).into_iter();
    all.find(|listed| listed.object == object)
}

/// The instances that are meant: one of them, or all.
fn meant(listed: &Listed, whose: Option<&Whose>) -> Vec<Whose> {
    match whose {
        Some(one) => vec![one.clone()],
        None => listed.instances.clone(),
    }
}

/// Its name, and that of its station.
fn shown(whose: &Whose, context: &Context<'_>) -> String {
    match instance(whose, context).value {
        Value::Text(name) => format!("{} {name}", whose.station()),
        _ => whose.station(),
    }
}

impl View for Objects {
    fn name(&self) -> &'static str {
        "counter-objects"
    }

    fn title(&self, _: &Model, _: &Place) -> String {
        "add lines".to_owned()
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let hidden = |listed: &Listed| listed.counters.iter().filter(|k| !k.counted).count();
        Some(Box::new(List {
            columns: columns_of![|l: &(Listed, usize), context|
                Head::left("object", 20).help("Performance Monitor's object.")
                    => Cell::text(l.0.object),
                Head::right("instances", 9).help("Stations, shares or interfaces that have values now.")
                    => match l.0.instances.len() as u64 {
                        0 => Cell::default(),
                        n => Cell::count(n),
                    },
                Head::right("counters", 8).help("Counters that can be computed from the wire.")
                    => Cell::count((l.0.counters.len() - l.1) as u64),
                Head::right("hidden", 8).rank(1)
                    .help("Host-internal counters, which no capture shows; never estimated.")
                    => match l.1 as u64 {
                        0 => Cell::default(),
                        n => Cell::count(n).toned(Tone::Dim),
                    },
            ],
            rows: listed(model)
                .into_iter()
                .map(|listed| {
                    let hidden = hidden(&listed);
                    (listed, hidden)
                })
                .collect(),
            key: |l: &(Listed, usize)| RowIdentity::Name(l.0.object.to_owned()),
            sorted: None,
            empty: "No counters.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("choose")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let Some(RowIdentity::Name(name)) = model.level().table.chosen_key().cloned() else {
            return Vec::new();
        };
        let Some(listed) = of(model, &name) else {
            return Vec::new();
        };
        let object = listed.object;
        match listed.instances.as_slice() {
            [] => {
                let hidden = listed.counters.iter().all(|kind| !kind.counted);
                model.say(match hidden {
                    true => format!("{object}: host-internal, never estimated"),
                    false => format!("{object}: no traffic for it yet"),
                });
            }
            [only] => {
                let only = only.clone();
                model.open(Place::CounterKinds(object, Some(only)));
            }
            _ => model.open(Place::CounterInstances(object)),
        }
        Vec::new()
    }
}

/// One instance, or all of them and how many there are.
enum ChoiceRow {
    All(u64),
    One(Whose),
}

impl View for Instances {
    fn name(&self) -> &'static str {
        "counter-instances"
    }

    fn title(&self, _: &Model, place: &Place) -> String {
        match place {
            Place::CounterInstances(object) => (*object).to_owned(),
            _ => String::new(),
        }
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let Place::CounterInstances(object) = place else {
            return None;
        };
        let instances = of(model, object).map_or_else(Vec::new, |listed| listed.instances);
        let mut rows = vec![ChoiceRow::All(instances.len() as u64)];
        rows.extend(instances.into_iter().map(ChoiceRow::One));
        Some(Box::new(List {
            columns: columns_of![|row: &ChoiceRow, context|
                Head::left("station", 20).help("Station of the counter.")
                    => match row {
                        ChoiceRow::All(n) => Cell::text(format!("all {} instances", Grouped(*n))),
                        ChoiceRow::One(whose) => Cell::text(whose.station()),
                    },
                Head::left("instance", 10).most(60).help("Instance: an interface, a share, a peer.")
                    => match row {
                        ChoiceRow::One(whose) => instance(whose, context),
                        ChoiceRow::All(_) => Cell::default(),
                    },
            ],
            rows,
            key: |row: &ChoiceRow| match row {
                ChoiceRow::All(_) => RowIdentity::Name(String::new()),
                ChoiceRow::One(whose) => RowIdentity::Instance(whose.clone()),
            },
            sorted: None,
            empty: "No station has values yet.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("counters")
    }

    fn enter(&self, model: &mut Model, place: &Place) -> Vec<Command> {
        let whose = match model.level().table.chosen_key() {
            Some(RowIdentity::Instance(whose)) => Some(whose.clone()),
            Some(_) => None,
            None => return Vec::new(),
        };
        if let Place::CounterInstances(object) = place {
            model.open(Place::CounterKinds(object, whose));
        }
        Vec::new()
    }
}

/// A counter, how many of its lines are on the chart, and of how many.
struct Choice<'m> {
    kind: Kind,
    on: u64,
    of: u64,
    /// The line of a single instance.
    pick: Option<Pick>,
    chart: &'m Chart,
}

fn picks(whose: &[Whose], kind: &Kind) -> Vec<Pick> {
    whose.iter().filter_map(|one| one.pick(kind.name)).collect()
}

impl View for Kinds {
    fn name(&self) -> &'static str {
        "counter-choice"
    }

    fn title(&self, model: &Model, place: &Place) -> String {
        let Place::CounterKinds(object, whose) = place else {
            return String::new();
        };
        let whose = whose.as_ref();
        let whose = whose.map_or("all instances".to_owned(), |w| shown(w, &model.context()));
        let lines = model.chart.count();
        format!("{object} of {whose}; {lines} of {MOST} lines on the chart")
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let Place::CounterKinds(object, whose) = place else {
            return None;
        };
        let feed = model.feed.as_ref()?;
        let listed = of(model, object)?;
        let meant = meant(&listed, whose.as_ref());
        let choice = |kind: &Kind| {
            let picks = picks(&meant, kind);
            Choice {
                kind: *kind,
                on: picks.iter().filter(|pick| model.chart.has(pick)).count() as u64,
                of: picks.len() as u64,
                pick: match picks.as_slice() {
                    [only] => Some(only.clone()),
                    _ => None,
                },
                chart: &feed.counters,
            }
        };
        Some(Box::new(List {
            columns: columns_of![|c: &Choice<'_>, context|
                Head::left("on", 3).help("Whether the counter is on the chart. Enter adds or removes it.")
                    => match (c.on, c.of) {
                        (0, _) => Cell::text(""),
                        (on, of) if on == of => Cell::text("✓").toned(Tone::Good),
                        (on, of) => Cell::text(format!("{on} of {of}")).toned(Tone::Good),
                    },
                Head::left("counter", 30).help("Name of the counter.")
                    => Cell::text(c.kind.name).toned(tone(c)),
                Head::right("last", 9).rank(1).help("Value of the last complete interval.")
                    => {
                        let last = c.pick.as_ref().and_then(|pick| c.chart.line(pick).last);
                        value(Some(c.kind), last)
                    },
                Head::left("mark", 13).rank(2)
                    .help("Accuracy: exact, derived or approximated. Host-internal counters are never estimated.")
                    => Cell::text(c.kind.mark).toned(tone(c)),
                Head::right("scale", 8).rank(4).help("Scale factor of Performance Monitor's chart.")
                    => Cell::text(scale_text(power(c.kind.scale))),
                Head::left("to know", 10).rank(3).most(120).grows().help("Notes on the computation.")
                    => Cell::text(c.kind.how),
            ],
            rows: listed.counters.iter().map(choice).collect(),
            key: |choice: &Choice<'_>| RowIdentity::Name(choice.kind.name.to_owned()),
            sorted: None,
            empty: "No counters.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("on/off")
    }

    fn enter(&self, model: &mut Model, place: &Place) -> Vec<Command> {
        let (Some(RowIdentity::Name(name)), Place::CounterKinds(object, whose)) =
            (model.level().table.chosen_key().cloned(), place)
        else {
            return Vec::new();
        };
        let Some(listed) = of(model, object) else {
            return Vec::new();
        };
        let Some(kind) = listed.counters.iter().find(|kind| kind.name == name) else {
            return Vec::new();
        };
        if !kind.counted {
            model.say(match kind.mark {
                "host-internal" => {
                    format!("{name}: host-internal, never estimated")
                }
                _ => format!("{name}: not counted"),
            });
            return Vec::new();
        }
        let picks = picks(&meant(&listed, whose.as_ref()), kind);
        let all = picks.iter().all(|pick| model.chart.has(pick));
        let changed = picks
            .into_iter()
            .filter(|pick| all || !model.chart.has(pick))
            .collect::<Vec<_>>();
        let room = changed.into_iter().all(|pick| model.chart.turn(pick, kind));
        if !room {
            model.complain(format!("the chart has {MOST} lines, its maximum"));
        }
        model.refresh();
        Vec::new()
    }
}

fn tone(choice: &Choice<'_>) -> Tone {
    match choice.kind.counted {
        true => Tone::Plain,
        false => Tone::Dim,
    }
}
