//! What a message does to the model.

use crate::bound;
use crate::keys::{self, Action};
use crate::model::{Model, Overlay};
use crate::place::{Place, Scope, TABS};
use crate::table::{Format, Move};
use crate::{Command, Feed, Input, Message, Pace, What, export, prompt, view};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEventKind,
};
use std::sync::Arc;
use wirewait_wire::Timestamp;

/// Changes the model, and says what is to be done outside of it.
pub fn update(model: &mut Model, message: Message) -> Vec<Command> {
    match message {
        Message::Fed(feed) => {
            fed(model, feed);
            Vec::new()
        }
        Message::Decoded(frames) => {
            model.decoded(frames);
            Vec::new()
        }
        Message::Said(text) => {
            model.say(text);
            model.changed = true;
            Vec::new()
        }
        Message::Failed(text) => {
            // Frames that cannot be had are not waited for.
            model.give_up_frames();
            model.complain(text);
            model.changed = true;
            Vec::new()
        }
        Message::Terminal(event) => terminal(model, &event),
        Message::Closed => vec![Command::Quit { keep: false }],
        // Whoever has the terminal takes it back.
        Message::Resumed => Vec::new(),
    }
}

fn fed(model: &mut Model, feed: Arc<Feed>) {
    if model.frozen {
        // Only what is never hidden: drops.
        model.latest = Some(feed);
        model.changed = true;
        return;
    }
    model.latest = None;
    model.show(feed);
}

fn terminal(model: &mut Model, event: &Event) -> Vec<Command> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            model.changed = true;
            pressed(model, key)
        }
        Event::Resize(width, height) => {
            model.size = (*width, *height);
            model.refresh();
            Vec::new()
        }
        Event::Mouse(_) if view::is_too_small(model.size) => Vec::new(),
        // What lies above takes keys, and the wheel.
        Event::Mouse(mouse) if model.overlay != Overlay::None => match mouse.kind {
            MouseEventKind::ScrollUp => rolled(model, KeyCode::Up),
            MouseEventKind::ScrollDown => rolled(model, KeyCode::Down),
            _ => Vec::new(),
        },
        Event::Mouse(mouse) => {
            let at = (mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::ScrollUp => act(model, Action::Up),
                MouseEventKind::ScrollDown => act(model, Action::Down),
                MouseEventKind::Down(MouseButton::Left) => {
                    model.said = None;
                    model.changed = true;
                    let action = view::clicked(model, at);
                    action.map_or_else(Vec::new, |action| act(model, action))
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The wheel over what lies above everything else: as that key, where that moves something.
fn rolled(model: &mut Model, code: KeyCode) -> Vec<Command> {
    match model.overlay {
        Overlay::Help(_) | Overlay::Sort(_) | Overlay::Columns(_) | Overlay::Export(_) => {
            model.changed = true;
            pressed(model, &KeyEvent::from(code))
        }
        _ => Vec::new(),
    }
}

fn pressed(model: &mut Model, key: &KeyEvent) -> Vec<Command> {
    model.said = None;
    if keys::name(key).as_deref() == Some("ctrl-c") {
        return vec![Command::Quit { keep: false }];
    }
    if view::is_too_small(model.size) {
        // Nobody sees what any other key does.
        let quits = bound::action(model, key).filter(|action| *action == Action::Quit);
        return quits.map_or_else(Vec::new, |action| act(model, action));
    }
    match std::mem::take(&mut model.overlay) {
        Overlay::None => match bound::action(model, key) {
            Some(action) => act(model, action),
            None => {
                if let Some(why) = bound::why_not(model, key) {
                    model.say(why);
                }
                Vec::new()
            }
        },
        Overlay::Filter(before) => {
            prompt::filter(model, key, before);
            Vec::new()
        }
        Overlay::Number(text) => prompt::number(model, key, text),
        Overlay::Reset => match key.code {
            KeyCode::Char('y' | 'Y') => vec![Command::Reset],
            _ => Vec::new(),
        },
        overlay => choosing(model, key, overlay),
    }
}

/// One of several is being chosen, or the help is read.
fn choosing(model: &mut Model, key: &KeyEvent, overlay: Overlay) -> Vec<Command> {
    let (at, count) = match overlay {
        Overlay::Help(at) => (at, view::help_lines()),
        Overlay::Sort(at) | Overlay::Columns(at) => {
            (at, model.rows().map_or(0, |rows| rows.heads().len()))
        }
        Overlay::Export(at) => (at, Format::ALL.len()),
        _ => return Vec::new(),
    };
    let last = count.saturating_sub(1);
    let page = usize::from(model.size.1 / 2).max(1);
    let to = match bound::action(model, key) {
        Some(Action::Up) => at.saturating_sub(1),
        Some(Action::Down) => (at + 1).min(last),
        Some(Action::PageUp) => at.saturating_sub(page),
        Some(Action::PageDown) => (at + page).min(last),
        Some(Action::First) => 0,
        Some(Action::Last) => last,
        Some(Action::Quit) if matches!(overlay, Overlay::Help(_)) => return Vec::new(),
        _ => {
            return match (key.code, overlay) {
                (KeyCode::Enter, Overlay::Sort(at)) => {
                    model.sort_by(at);
                    Vec::new()
                }
                (KeyCode::Enter | KeyCode::Char(' '), Overlay::Columns(at)) => {
                    model.overlay = Overlay::Columns(at);
                    model.toggle_column(at);
                    Vec::new()
                }
                (KeyCode::Enter, Overlay::Export(at)) => {
                    export::now(model, Format::ALL[at.min(Format::ALL.len() - 1)])
                }
                _ => Vec::new(),
            };
        }
    };
    model.overlay = match overlay {
        Overlay::Help(_) => Overlay::Help(to),
        Overlay::Sort(_) => Overlay::Sort(to),
        Overlay::Columns(_) => Overlay::Columns(to),
        Overlay::Export(_) => Overlay::Export(to),
        other => other,
    };
    Vec::new()
}

/// Does what a key asks for.
pub(crate) fn act(model: &mut Model, action: Action) -> Vec<Command> {
    model.changed = true;
    let place = model.level().place.clone();
    if let Some(commands) = view::of(&place).act(model, &place, action) {
        return commands;
    }
    match action {
        Action::Quit => return vec![Command::Quit { keep: false }],
        Action::QuitKeep => return vec![Command::Quit { keep: true }],
        #[cfg(unix)]
        Action::Suspend => return vec![Command::Suspend],
        Action::Help => model.overlay = Overlay::Help(0),
        Action::Tab(tab) if tab < TABS.len() => {
            // The tab that is open already: to its top.
            if model.tab == tab {
                model.ways[tab].truncate(1);
            }
            model.tab = tab;
            model.refresh();
        }
        Action::Tab(_) => {}
        Action::NextTab => turn(model, 1),
        Action::PreviousTab => turn(model, TABS.len() - 1),
        Action::Up => go(model, Move::By(-1)),
        Action::Down => go(model, Move::By(1)),
        Action::PageUp => go(model, Move::Pages(-1)),
        Action::PageDown => go(model, Move::Pages(1)),
        Action::First => go(model, Move::First),
        Action::Last => go(model, Move::Last),
        Action::Left => model.scroll_columns(false),
        Action::Right => model.scroll_columns(true),
        Action::Transactions => view::transactions(model),
        Action::Statistics => model.open(Place::Statistics),
        Action::Enter => return view::enter(model),
        Action::Back => back(model),
        Action::Filter => {
            model.overlay = Overlay::Filter(model.level().table.filter_text.clone());
        }
        Action::SortChoose => {
            let rows = model.rows();
            let sorted = rows.and_then(|rows| model.level().table.sort(rows.as_ref()));
            model.overlay = Overlay::Sort(sorted.map_or(0, |(column, _)| column));
        }
        Action::SortReverse => model.with_table(|table, rows, _| {
            let (column, descending) = table.sort(rows).unwrap_or((0, false));
            table.sort_by(column, !descending);
        }),
        Action::SortLeft => sort_beside(model, false),
        Action::SortRight => sort_beside(model, true),
        Action::Columns => model.overlay = Overlay::Columns(0),
        Action::Number => model.overlay = Overlay::Number(String::new()),
        Action::Freeze => return freeze(model),
        Action::Window => window(model),
        Action::Reset => model.overlay = Overlay::Reset,
        Action::Export => {
            if model.has_table() {
                model.overlay = Overlay::Export(0);
            } else {
                return export::now(model, Format::Text);
            }
        }
        Action::Private => private(model),
        Action::Units => {
            model.units = model.units.next();
            model.say(format!("units: {}", model.units.name()));
            model.refresh();
        }
        Action::Theme => {
            model.palette = model.palette.next();
            model.say(format!("colours: {}", model.palette.name()));
        }
        Action::Faster => return pace(model, true),
        Action::Slower => return pace(model, false),
        Action::SeekBy(seconds) => return seek(model, Seek::By(seconds)),
        Action::Save => return vec![save(model)],
        Action::SeekStart => return seek(model, Seek::Start),
        Action::SeekEnd => return seek(model, Seek::End),
        // What they mean, the views say that have them.
        Action::Add
        | Action::Remove
        | Action::Look
        | Action::ScaleUp
        | Action::ScaleDown
        | Action::ScaleFit
        | Action::NextPlace
        | Action::PreviousPlace => {}
    }
    Vec::new()
}

fn go(model: &mut Model, to: Move) {
    model.with_table(|table, rows, page| table.go(to, rows, page));
}

fn turn(model: &mut Model, by: usize) {
    model.tab = (model.tab + by) % TABS.len();
    model.refresh();
}

fn back(model: &mut Model) {
    if !model.level().table.filter_text.is_empty() {
        model.with_table(|table, _, _| table.filter_by(""));
    } else if !model.up() {
        let quit = model.keys.first(Action::Quit);
        model.say(format!("this is the top; {quit} quits"));
    }
}

fn sort_beside(model: &mut Model, right: bool) {
    model.with_table(|table, rows, _| {
        let heads = rows.heads();
        let last = heads.len().saturating_sub(1);
        let to = match (table.sort(rows), right) {
            (Some((column, _)), true) => (column + 1).min(last),
            (Some((column, _)), false) => column.saturating_sub(1),
            (None, _) => 0,
        };
        let descending = heads.get(to).is_some_and(|head| head.right);
        table.sort_by(to, descending);
    });
}

fn freeze(model: &mut Model) -> Vec<Command> {
    if model.replays() {
        return vec![Command::Pause(!model.paused())];
    }
    model.frozen = !model.frozen;
    if !model.frozen
        && let Some(feed) = model.latest.take()
    {
        model.show(feed);
    }
    Vec::new()
}

/// The windows that a key chooses, in seconds.
const WINDOWS: [Option<u32>; 4] = [None, Some(10), Some(60), Some(300)];

fn window(model: &mut Model) {
    let at = WINDOWS.iter().position(|w| *w == model.window).unwrap_or(0);
    model.look_at(WINDOWS[(at + 1) % WINDOWS.len()]);
    match model.window {
        None => model.say("figures of all the capture"),
        Some(seconds) => model.say(format!("figures of the last {seconds} s")),
    }
}

fn private(model: &mut Model) {
    if model
        .feed
        .as_ref()
        .is_some_and(|feed| feed.snapshot.settings.private)
    {
        model.say("names were replaced by numbers before they came here (--private)");
        return;
    }
    model.private = !model.private;
    model.refresh();
}

/// The paces that keys choose.
const PACES: [Pace; 8] = [
    Pace::Times(1),
    Pace::Times(2),
    Pace::Times(5),
    Pace::Times(10),
    Pace::Times(20),
    Pace::Times(50),
    Pace::Times(100),
    Pace::Max,
];

fn pace(model: &Model, faster: bool) -> Vec<Command> {
    let Some(Input::Files { pace, .. }) = model.feed.as_ref().map(|feed| &feed.input) else {
        return Vec::new();
    };
    let above = |other: &Pace| match (other, pace) {
        (Pace::Times(a), Pace::Times(b)) => a > b,
        (Pace::Max, Pace::Times(_)) => true,
        (_, Pace::Max) => false,
    };
    let next = match faster {
        true => PACES.iter().find(|other| above(other)),
        false => PACES
            .iter()
            .rev()
            .find(|other| !above(other) && *other != pace),
    };
    next.map_or_else(Vec::new, |pace| vec![Command::Pace(*pace)])
}

/// Which frames are saved: those of what is open, or those that are listed.
fn save(model: &Model) -> Command {
    let open = model.ways[model.tab].iter().rev();
    let what = open
        .filter_map(|level| match level.place {
            Place::Transaction(number) => Some(What::Transaction(number)),
            Place::Transactions(Scope::Conversation(number)) => Some(What::Conversation(number)),
            Place::Frames(_) => {
                let frames = level.pane.frames.as_ref()?;
                let numbers = frames.first().zip(frames.last());
                numbers.map(|(first, last)| What::Frames(first.number, last.number))
            }
            _ => None,
        })
        .next()
        .unwrap_or(What::LastSeconds(60));
    let name = match what {
        What::Transaction(number) => format!("request-{number}"),
        What::Conversation(number) => format!("conversation-{number}"),
        What::Frames(first, last) => format!("frames-{first}-{last}"),
        What::LastSeconds(_) => format!("last-minute{}", export::moment(model)),
    };
    Command::Save(what, format!("wirewait-{name}.pcapng").into())
}

enum Seek {
    /// By this number of seconds; backwards if negative.
    By(i8),
    Start,
    End,
}

fn seek(model: &mut Model, to: Seek) -> Vec<Command> {
    let feed = model.latest.clone().or(model.feed.clone());
    let Some((
        Input::Files {
            span,
            again,
            seeking,
            pace,
            paused,
            ..
        },
        now,
    )) = feed.as_ref().map(|feed| (&feed.input, feed.now))
    else {
        return Vec::new();
    };
    let back = !matches!(to, Seek::By(1..) | Seek::End);
    if back && !again {
        model.complain("the capture came through a pipe and cannot be read a second time");
        return Vec::new();
    }
    // Where they end is known when they were read through; one can jump all the same.
    let everything = (
        Timestamp::from_nanos(i64::MIN),
        Timestamp::from_nanos(i64::MAX),
    );
    let (first, last) = span.unwrap_or(everything);
    let at = match to {
        Seek::Start => first,
        Seek::End => last,
        Seek::By(seconds) => {
            // One key after the other: from where the one before leads.
            let Some(now) = seeking.or(now).or(span.map(|_| first)) else {
                return Vec::new();
            };
            let by = 1_000_000_000 * i64::from(seconds);
            now.plus(by).clamp(first, last.max(first))
        }
    };
    // As fast as files are read, they would be at their end again at once.
    let stays = back && *pace == Pace::Max && !paused;
    let pause = stays.then_some(Command::Pause(true));
    if stays {
        model.say("paused there; space goes on".to_owned());
    }
    pause.into_iter().chain([Command::Seek(at)]).collect()
}
