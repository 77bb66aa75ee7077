//! Where results go: the standard output, or a file.

use crate::args::OutputArgs;
use crate::failure::{Failure, Verdict};
use crate::rights;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use wirewait_report::text::Look;

/// Prints a text on the standard output.
pub(crate) fn print(text: &str) -> Result<Verdict, Failure> {
    let mut out = io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    printed
        .map(|()| Verdict::Whole)
        .map_err(|error| Failure::writing("the standard output", &error))
}

/// Buffered output, and its name for messages.
pub(crate) struct Output {
    out: BufWriter<Box<dyn Write>>,
    name: String,
    /// Someone watches it.
    pub(crate) terminal: bool,
}

impl Output {
    /// Opens what the user asked for; `inputs` are not to be overwritten. Call it when
    /// everything else is known to work: it empties the file.
    pub(crate) fn open(args: &OutputArgs, inputs: &[PathBuf]) -> Result<Self, Failure> {
        match args
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"))
        {
            Some(path) => Self::file(path, inputs),
            None => {
                let stdout = io::stdout();
                Ok(Self {
                    terminal: stdout.is_terminal(),
                    out: BufWriter::with_capacity(1 << 16, Box::new(stdout.lock())),
                    name: "the standard output".to_owned(),
                })
            }
        }
    }

    /// Whether what is written there is shown to someone at once.
    pub(crate) fn is_to_terminal(args: &OutputArgs) -> bool {
        let file = args.output.as_deref();
        file.is_none_or(|path| path == Path::new("-")) && io::stdout().is_terminal()
    }

    /// Opens a file to be written anew.
    pub(crate) fn file(path: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if let Ok(target) = path.canonicalize() {
            let same = |input: &PathBuf| input.canonicalize().is_ok_and(|input| input == target);
            if inputs.iter().any(same) {
                return Err(Failure::Usage(format!(
                    "{name} is an input; name another file for the output"
                )));
            }
        }
        let file = rights::create(path).map_err(|error| Failure::writing(&name, &error))?;
        Ok(Self {
            out: BufWriter::with_capacity(1 << 16, Box::new(file)),
            name,
            terminal: false,
        })
    }

    /// How a text should look there.
    pub(crate) fn look(&self) -> Look {
        if !self.terminal {
            return Look::FILE;
        }
        let width = terminal_size::terminal_size()
            .map_or(Look::FILE.width, |(width, _)| usize::from(width.0).max(40));
        // Knows NO_COLOR, CLICOLOR and TERM.
        let choice = anstream::AutoStream::choice(&io::stdout());
        Look {
            width,
            colour: choice != anstream::ColorChoice::Never,
        }
    }

    /// Writes, and says where it went wrong if it does.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<Box<dyn Write>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(&mut self.out).map_err(|error| Failure::writing(&self.name, &error))
    }

    /// Hands on what is buffered; to be called at the end, as dropping tells no errors.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.write(Write::flush)
    }
}
