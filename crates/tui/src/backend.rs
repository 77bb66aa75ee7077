//! The terminal as ratatui sees it, without its cursor, and what such a terminal can show.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::ffi::OsStr;

/// A backend that never asks the terminal where its cursor is: the screen hides the cursor, and
/// some terminals do not answer.
#[derive(Debug)]
pub(crate) struct Blind<B>(pub(crate) B);

impl<B: Backend> Backend for Blind<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), B::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.0.draw(content)
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.0.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), B::Error> {
        self.0.clear_region(region)
    }

    /// Of a terminal that does not say how large it is: as a VT100.
    fn size(&self) -> Result<Size, B::Error> {
        Ok(self.0.size().unwrap_or(Size::new(80, 24)))
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        self.0.window_size()
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.0.flush()
    }
}

/// Whether a terminal of this kind (`TERM`) shows colours. DEC's terminals up to the VT500 show
/// none, and neither does what says that it can do nothing.
pub(crate) fn shows_colours(term: Option<&OsStr>) -> bool {
    let term = term.and_then(OsStr::to_str).unwrap_or("");
    let dec = term
        .strip_prefix("vt")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let none = matches!(term, "" | "dumb" | "unknown") || term.ends_with("-mono");
    !dec && !none && !term.ends_with("-m")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::CrosstermBackend;
    use ratatui::layout::Rect;
    use ratatui::{TerminalOptions, Viewport};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    /// What is written stays.
    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Nothing answers at the other end of it: every query of the cursor would wait for two
    /// seconds and fail.
    #[test]
    fn a_terminal_that_does_not_report_its_cursor_is_drawn_on_all_the_same() {
        let options = || TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, 20, 3)),
        };
        let begin = std::time::Instant::now();
        let paper = Paper::default();
        let backend = Blind(CrosstermBackend::new(paper.clone()));
        let mut terminal = Terminal::with_options(backend, options()).unwrap();
        terminal.clear().unwrap();
        terminal
            .draw(|frame| {
                frame
                    .buffer_mut()
                    .set_string(0, 0, "seen", ratatui::style::Style::new());
            })
            .unwrap();
        assert!(begin.elapsed().as_millis() < 1500, "it asked");
        let written = String::from_utf8_lossy(&paper.0.lock().unwrap()).into_owned();
        assert!(written.contains("seen"), "{written:?}");
        assert!(!written.contains("\x1b[6n"), "{written:?}");
    }

    #[test]
    fn terminals_without_colours_are_known_by_their_names() {
        let shows = |term: &str| shows_colours(Some(OsStr::new(term)));
        for term in [
            "dumb",
            "vt100",
            "vt220",
            "vt510",
            "",
            "xterm-mono",
            "unknown",
        ] {
            assert!(!shows(term), "{term}");
        }
        for term in [
            "xterm",
            "xterm-256color",
            "linux",
            "screen",
            "tmux-256color",
            "vte",
        ] {
            assert!(shows(term), "{term}");
        }
        assert!(!shows_colours(None));
    }
}
