//! Makes text from outside harmless to a terminal.

use std::fmt;
use std::io::{self, BufWriter, Write};

/// Shows a text with everything that could command a terminal, or turn the reading
/// direction around, as `\x1b` or `\u{202e}`.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_str(&mut Escaping(f), self.0)
    }
}

/// Escapes all that passes through.
pub(crate) struct Escaping<'a, W: ?Sized>(pub(crate) &'a mut W);

impl<W: fmt::Write + ?Sized> fmt::Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, found)) = rest.char_indices().find(|(_, c)| Escaped::is_needed(*c)) {
            let (harmless, tail) = rest.split_at(at);
            self.0.write_str(harmless)?;
            match found {
                '\n' => self.0.write_str("\\n")?,
                '\r' => self.0.write_str("\\r")?,
                '\t' => self.0.write_str("\\t")?,
                c if u32::from(c) <= 0xff => write!(self.0, "\\x{:02x}", u32::from(c))?,
                c => write!(self.0, "\\u{{{:x}}}", u32::from(c))?,
            }
            rest = tail.get(found.len_utf8()..).unwrap_or_default();
        }
        self.0.write_str(rest)
    }
}

impl Escaped<'_> {
    /// Whether this character is shown as its number: control characters (C0, DEL, C1), line and
    /// paragraph separators, and the characters that embed, override or isolate a reading
    /// direction (Unicode Annex 9, section 2).
    #[must_use]
    pub fn is_needed(c: char) -> bool {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}')
    }
}

/// Passes what `write` writes on with everything that could command a terminal as `\u001b`: a program that reads
/// it has the text as it was.
///
/// # Errors
/// What `write` and `out` say.
pub(crate) fn json<W: Write>(
    out: W,
    write: impl FnOnce(&mut BufWriter<JsonEscaping<W>>) -> serde_json::Result<()>,
) -> io::Result<()> {
    // serde_json writes a few bytes at a time; they are looked at many at a time.
    let mut gathered = BufWriter::new(JsonEscaping(out));
    write(&mut gathered)?;
    gathered.into_inner()?;
    Ok(())
}

/// Passes JSON on. Texts have to come whole, as serde_json writes them: a buffer passes on whole what came whole.
pub(crate) struct JsonEscaping<W>(W);

impl<W: Write> Write for JsonEscaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Nearly all of it.
        if bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        // Line ends and what else JSON has between its texts is ASCII; there is no tab among it.
        let needed = |c: char| c != '\n' && Escaped::is_needed(c);
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(needed) => {
                let mut rest = text;
                while let Some(at) = rest.find(needed) {
                    let (harmless, tail) = rest.split_at(at);
                    self.0.write_all(harmless.as_bytes())?;
                    let mut tail = tail.chars();
                    if let Some(c) = tail.next() {
                        // All of them are in the first plane.
                        write!(self.0, "\\u{:04x}", u32::from(c))?;
                    }
                    rest = tail.as_str();
                }
                self.0.write_all(rest.as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_command_the_terminal() {
        let shown = Escaped("a\x1b[2J\x07b\r\n\t\u{9b}31m\x7f").to_string();
        assert_eq!(shown, r"a\x1b[2J\x07b\r\n\t\x9b31m\x7f");
        assert_eq!(Escaped("txt.\u{202e}exe").to_string(), r"txt.\u{202e}exe");
    }

    #[test]
    fn json_is_read_back_as_it_was_and_cannot_command_the_terminal() {
        let text = "a\x1b[2J\n\u{9b}31m\x7f\u{202e}exe.\u{2069} \"\\ Zażółć";
        let mut out = Vec::new();
        // Together they come in several pieces.
        let many = vec![text; 1000];
        json(&mut out, |out| serde_json::to_writer_pretty(out, &many)).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(
            !written.contains(|c| c != '\n' && Escaped::is_needed(c)),
            "{written:?}"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&written).unwrap(), many);
        assert!(written.contains("Zażółć"));
    }

    #[test]
    fn plain_text_of_any_language_passes() {
        for text in ["", "README.TXT", "Zażółć \u{1f5a7} 共有", r"C:\DOS"] {
            assert_eq!(Escaped(text).to_string(), text);
        }
    }
}
