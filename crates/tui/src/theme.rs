//! Colours and emphasis. No meaning rests on a colour alone: what is bad is bold or reversed
//! too, what is chosen is reversed, and parts of a bar have letters.

use ratatui::style::{Color, Modifier, Style};
use wirewait_analysis::Phase;

/// Which colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Light letters on a dark ground.
    #[default]
    Dark,
    /// Dark letters on a light ground.
    Light,
    /// Colours that look different to everyone (Okabe and Ito, 2008), on a dark ground.
    ColourBlind,
    /// No colours: bold, dim, underlined and reversed.
    Mono,
}

impl Palette {
    /// All of them, in the order in which a key changes them.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::ColourBlind, Self::Mono];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::ColourBlind => "colour-blind",
            Self::Mono => "mono",
        }
    }

    pub(crate) fn next(self) -> Self {
        let at = Self::ALL.iter().position(|p| *p == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    pub(crate) const fn theme(self) -> &'static Theme {
        match self {
            Self::Dark => &DARK,
            Self::Light => &LIGHT,
            Self::ColourBlind => &COLOUR_BLIND,
            Self::Mono => &MONO,
        }
    }
}

/// How much something calls for attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// Of little interest.
    Dim,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

/// One style for each role.
#[derive(Debug)]
pub(crate) struct Theme {
    pub(crate) plain: Style,
    pub(crate) dim: Style,
    pub(crate) good: Style,
    pub(crate) warn: Style,
    pub(crate) bad: Style,
    /// Names of things: titles of panels.
    pub(crate) title: Style,
    /// Heads of columns.
    pub(crate) head: Style,
    /// The chosen row, the tab that is open.
    pub(crate) chosen: Style,
    /// The key in a hint.
    pub(crate) key: Style,
    /// Lines around things.
    pub(crate) line: Style,
    /// Curves and bars that stand alone.
    pub(crate) plot: Style,
    /// Curves in one plot, in this order.
    pub(crate) series: [Style; 3],
    /// Parts of a ledger, as [`Phase::ALL`] has them.
    phases: [Style; Phase::ALL.len()],
}

impl Theme {
    pub(crate) fn tone(&self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => self.plain,
            Tone::Dim => self.dim,
            Tone::Good => self.good,
            Tone::Warn => self.warn,
            Tone::Bad => self.bad,
        }
    }

    /// Of a curve in the colour of a phase: dots have no ground.
    pub(crate) fn curve(&self, phase: Phase) -> Style {
        let style = self.phase(phase);
        match style.bg {
            Some(Color::Reset) | None => style.remove_modifier(Modifier::REVERSED),
            Some(ground) => Style::new().fg(ground),
        }
    }

    pub(crate) fn phase(&self, phase: Phase) -> Style {
        self.phases[phase as usize]
    }
}

const fn fg(colour: Color) -> Style {
    Style::new().fg(colour)
}

const fn on(letters: Color, ground: Color) -> Style {
    Style::new().fg(letters).bg(ground)
}

const fn bold(style: Style) -> Style {
    style.add_modifier(Modifier::BOLD)
}

const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

static DARK: Theme = Theme {
    plain: Style::new(),
    dim: fg(Color::DarkGray),
    good: fg(Color::Green),
    warn: bold(fg(Color::Yellow)),
    bad: bold(fg(Color::LightRed)),
    title: bold(fg(Color::Cyan)),
    head: bold(Style::new()),
    chosen: REVERSED,
    key: bold(fg(Color::Cyan)),
    line: fg(Color::DarkGray),
    plot: fg(Color::Cyan),
    series: [fg(Color::Cyan), fg(Color::Yellow), fg(Color::LightRed)],
    phases: [
        on(Color::Black, Color::Blue),
        on(Color::Black, Color::Cyan),
        on(Color::Black, Color::Yellow),
        on(Color::Black, Color::Green),
        on(Color::Black, Color::LightGreen),
        on(Color::Black, Color::LightRed),
        on(Color::White, Color::Red),
        on(Color::Black, Color::Gray),
        on(Color::Gray, Color::Reset),
        on(Color::Gray, Color::Reset),
    ],
};

static LIGHT: Theme = Theme {
    plain: Style::new(),
    dim: fg(Color::DarkGray),
    good: fg(Color::Green),
    warn: bold(fg(Color::Magenta)),
    bad: bold(fg(Color::Red)),
    title: bold(fg(Color::Blue)),
    head: bold(Style::new()),
    chosen: REVERSED,
    key: bold(fg(Color::Blue)),
    line: fg(Color::Gray),
    plot: fg(Color::Blue),
    series: [fg(Color::Blue), fg(Color::Magenta), fg(Color::Red)],
    phases: [
        on(Color::White, Color::Blue),
        on(Color::Black, Color::Cyan),
        on(Color::Black, Color::Yellow),
        on(Color::Black, Color::LightGreen),
        on(Color::Black, Color::Green),
        on(Color::White, Color::Magenta),
        on(Color::White, Color::Red),
        on(Color::Black, Color::Gray),
        on(Color::DarkGray, Color::Reset),
        on(Color::DarkGray, Color::Reset),
    ],
};

// Okabe and Ito's colours, the nearest of the 256 that most terminals have.
const ORANGE: Color = Color::Indexed(214);
const SKY: Color = Color::Indexed(74);
const GREEN: Color = Color::Indexed(36);
const YELLOW: Color = Color::Indexed(227);
const BLUE: Color = Color::Indexed(25);
const VERMILION: Color = Color::Indexed(166);
const PURPLE: Color = Color::Indexed(175);

static COLOUR_BLIND: Theme = Theme {
    plain: Style::new(),
    dim: fg(Color::DarkGray),
    good: fg(SKY),
    warn: bold(fg(YELLOW)),
    bad: bold(fg(ORANGE)),
    title: bold(fg(SKY)),
    head: bold(Style::new()),
    chosen: REVERSED,
    key: bold(fg(SKY)),
    line: fg(Color::DarkGray),
    plot: fg(SKY),
    series: [fg(SKY), fg(YELLOW), fg(VERMILION)],
    phases: [
        on(Color::White, BLUE),
        on(Color::Black, SKY),
        on(Color::Black, ORANGE),
        on(Color::Black, GREEN),
        on(Color::White, GREEN),
        on(Color::Black, PURPLE),
        on(Color::White, VERMILION),
        on(Color::Black, Color::Gray),
        on(Color::Gray, Color::Reset),
        on(Color::Gray, Color::Reset),
    ],
};

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const LOUD: Style = Style::new()
    .add_modifier(Modifier::BOLD)
    .add_modifier(Modifier::REVERSED);
const UNDERLINED: Style = Style::new().add_modifier(Modifier::UNDERLINED);

static MONO: Theme = Theme {
    plain: PLAIN,
    dim: DIM,
    good: PLAIN,
    warn: BOLD,
    bad: LOUD,
    title: BOLD,
    head: UNDERLINED,
    chosen: REVERSED,
    key: BOLD,
    line: DIM,
    plot: PLAIN,
    series: [PLAIN, PLAIN, DIM],
    phases: [PLAIN, BOLD, REVERSED, BOLD, BOLD, LOUD, LOUD, DIM, DIM, DIM],
};
