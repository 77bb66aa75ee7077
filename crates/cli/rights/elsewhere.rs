//! Systems other than Linux have no rights of threads: what the program may, it keeps.

use super::needs::{Folder, Needs};
use super::outputs;
use crate::args::RightsArgs;
use crate::failure::Failure;

/// Nothing is given up.
#[derive(Debug)]
pub(crate) struct Rights {
    asked_for: bool,
}

impl Rights {
    /// Opens the outputs.
    pub(crate) fn of(needs: Needs, wanted: &RightsArgs) -> Result<Self, Failure> {
        if wanted.user.is_some() {
            return Err(Failure::Usage("--user: only on Linux".to_owned()));
        }
        outputs::open(&needs.writes, &needs.reads, &|_| Ok(None))?;
        needs.folders.iter().try_for_each(Folder::make)?;
        if needs.scratch {
            outputs::open_scratch();
        }
        if needs.unpacks {
            outputs::open_room();
        }
        Ok(Self {
            asked_for: wanted.print_rights,
        })
    }

    /// Does nothing.
    #[cfg(feature = "libpcap")]
    pub(crate) fn keep_only_reopening(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Does nothing.
    pub(crate) fn give_up_all(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Starts a thread.
    pub(crate) fn start_listener(
        &mut self,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), Failure> {
        let thread = std::thread::Builder::new().name("metrics".to_owned());
        let started = thread.spawn(work).map(|_| ());
        started.map_err(|error| Failure::Cannot(format!("no thread can be started: {error}")))
    }

    /// Whether the user wants to know them, and nothing else.
    pub(crate) const fn are_asked_for(&self) -> bool {
        self.asked_for
    }

    /// Says that there is nothing.
    pub(crate) fn in_force(&self) -> String {
        "this system: the program keeps the rights of its user\n".to_owned()
    }
}
