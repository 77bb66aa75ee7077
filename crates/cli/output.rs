//! Where results go: the standard output, or a file.

use crate::args::OutputArgs;
use crate::failure::{Failure, Verdict, shown};
use crate::input::warn;
use crate::pager;
use crate::replacement::{Readers, Replacement};
use crate::rights;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use wirewait_report::text::Look;

/// Why frames are not written where names are private.
pub(crate) const FRAMES_NAME: &str =
    "--private: not with --format pcapng, whose frames have the names; leave one of them out";

/// Prints a text on the standard output.
pub(crate) fn print(text: &str) -> Result<Verdict, Failure> {
    let mut out = io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    printed
        .map(|()| Verdict::Whole)
        .map_err(|error| Failure::writing("the standard output", &error))
}

/// Other names of the standard output: opened anew they would lose their place in a file.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Buffered output, and its name for messages.
pub(crate) struct Output {
    out: BufWriter<Target>,
    name: String,
    /// The file that grows, if it is one.
    growing: Option<PathBuf>,
    /// Someone watches it.
    pub(crate) terminal: bool,
}

/// What is written to.
pub(crate) enum Target {
    Stdout(StdoutLock<'static>),
    /// A program that pages, and whether it has begun.
    Pager(ChildStdin, bool),
    /// A device, a pipe, or rows that somebody reads while they come.
    Direct(File),
    /// A file that takes its name when it is complete.
    Whole(Replacement),
}

impl Output {
    /// Opens what the user asked for; `inputs` are not to be overwritten. A file is replaced as a
    /// whole by [`Output::finish`].
    pub(crate) fn open(args: &OutputArgs, inputs: &[PathBuf]) -> Result<Self, Failure> {
        match named(args) {
            Some(path) => Self::file(path, inputs),
            None => Ok(Self::stdout()),
        }
    }

    /// Opens the output for rows written as they come: a file is emptied at once and grows.
    pub(crate) fn open_growing(args: &OutputArgs, inputs: &[PathBuf]) -> Result<Self, Failure> {
        match named(args) {
            Some(path) => {
                let name = name(path, inputs)?;
                let file =
                    rights::growing(path).map_err(|error| Failure::writing(&name, &error))?;
                let growing = (!is_direct(path)).then(|| path.to_owned());
                Ok(Self {
                    growing,
                    ..Self::to(Target::Direct(file), name)
                })
            }
            None => Ok(Self::stdout()),
        }
    }

    /// Whether what is written there is shown to someone at once.
    pub(crate) fn is_to_terminal(args: &OutputArgs) -> bool {
        named(args).is_none() && io::stdout().is_terminal()
    }

    /// Whether it is a file, which holds one report and not several behind each other.
    pub(crate) fn is_file(args: &OutputArgs) -> bool {
        named(args).is_some_and(|path| !is_direct(path))
    }

    /// Opens a file to be written anew, as a whole.
    pub(crate) fn file(path: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let name = name(path, inputs)?;
        let target = rights::opened(path).and_then(|opened| match (is_direct(path), opened) {
            (true, Some(opened)) => Ok(Target::Direct(opened.file)),
            (true, None) => {
                let file = OpenOptions::new().append(true).open(path);
                file.map(Target::Direct)
            }
            (false, opened) => Replacement::of(path, Readers::Usual, opened).map(Target::Whole),
        });
        let target = target.map_err(|error| Failure::writing(&name, &error))?;
        if matches!(&target, Target::Whole(file) if file.is_in_place()) {
            warn(&format!(
                "{name} is written in place, because its folder takes no new file of its owner: \
                 what it held is gone, and if this is ended early, only a part of the new is there"
            ));
        }
        Ok(Self::to(target, name))
    }

    fn stdout() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let name = "the standard output".to_owned();
        let target = match pager::input().filter(|_| terminal) {
            Some(pager) => Target::Pager(pager, false),
            None => Target::Stdout(stdout.lock()),
        };
        Self {
            terminal,
            ..Self::to(target, name)
        }
    }

    fn to(target: Target, name: String) -> Self {
        Self {
            out: BufWriter::with_capacity(1 << 16, target),
            name,
            growing: None,
            terminal: false,
        }
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
            ..Look::FILE
        }
    }

    /// Writes, and says where it went wrong if it does.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<Target>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(&mut self.out).map_err(|error| self.failed(&error))
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.write(Write::flush)
    }

    /// Hands on what is buffered, and puts a file in its place. Dropped without it, an output
    /// leaves a file as it was.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        let name = self.name;
        match self.out.into_parts().0 {
            Target::Whole(file) => file
                .commit()
                .map_err(|error| Failure::writing(&name, &error)),
            Target::Stdout(_) | Target::Direct(_) | Target::Pager(..) => Ok(()),
        }
    }

    /// Opens a file that grows again, at its end: rotation has given it another
    /// name. Whether it is one; after an error the file that is open goes on.
    pub(crate) fn reopen(&mut self) -> Result<bool, Failure> {
        self.flush()?;
        let Some(path) = &self.growing else {
            return Ok(false);
        };
        let mut options = OpenOptions::new();
        let opened = options.create(true).append(true).open(path);
        let file = opened.map_err(|error| Failure::writing(&self.name, &error))?;
        *self.out.get_mut() = Target::Direct(file);
        Ok(true)
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What to say where writing failed.
    pub(crate) fn failed(&self, error: &io::Error) -> Failure {
        match (Failure::writing(&self.name, error), self.out.get_ref()) {
            (Failure::Cannot(text), Target::Whole(file)) if !file.is_in_place() => {
                Failure::Cannot(format!("{text}; nothing was changed there"))
            }
            (failure, _) => failure,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Pager(out, begun) => {
                if !*begun {
                    // The line that it waits for.
                    out.write_all(b"\n")?;
                    *begun = true;
                    pager::leave_interrupts();
                }
                out.write(bytes)
            }
            Self::Direct(out) => out.write(bytes),
            Self::Whole(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Pager(out, _) => out.flush(),
            Self::Direct(out) => out.flush(),
            Self::Whole(out) => out.flush(),
        }
    }
}

/// The file that the user named, if it is not another name of the standard output.
fn named(args: &OutputArgs) -> Option<&Path> {
    let path = args.output.as_deref()?;
    let is_stdout = path == Path::new("-") || STDOUT.iter().any(|name| path == Path::new(name));
    (!is_stdout).then_some(path)
}

/// What it is called in messages, unless it is an input.
fn name(path: &Path, inputs: &[PathBuf]) -> Result<String, Failure> {
    let name = shown(path);
    if let Ok(target) = path.canonicalize() {
        let same = |input: &PathBuf| input.canonicalize().is_ok_and(|input| input == target);
        if inputs.iter().any(same) {
            return Err(Failure::Usage(format!(
                "{name} is an input; name another file for the output"
            )));
        }
    }
    Ok(name)
}

/// Whether nothing can take its place: a device, a pipe, what a shell opened.
fn is_direct(path: &Path) -> bool {
    let opened = ["/dev/fd", "/dev/stderr", "/proc"];
    path.metadata().is_ok_and(|known| {
        !known.is_file() && !known.is_dir() || opened.iter().any(|front| path.starts_with(front))
    })
}
