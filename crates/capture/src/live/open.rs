//! From the names of interfaces to a capture that runs.

use super::batch::Outbox;
use super::handle::Handle;
use super::lanes::Lanes;
use super::worker::Worker;
use super::{Control, Feed, Live, LiveError, LiveErrorKind, LiveInterface, LiveOptions};
use crate::causes::unnumbered;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

/// Interfaces that are opened, and not captured from yet. Between [`open`] and
/// [`Opened::start`] is the moment to drop rights: the capturing threads keep those of the
/// thread that starts them, and need them only to open an interface again that went away.
pub struct Opened {
    handles: Vec<(String, Handle)>,
    options: LiveOptions,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.handles.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Opened")
            .field("interfaces", &names)
            .finish_non_exhaustive()
    }
}

/// Opens interfaces by their names; one that is named twice is opened once.
///
/// # Errors
/// When one of them cannot be opened, or the filter makes no sense on one.
pub fn open(names: &[String], options: &LiveOptions) -> Result<Opened, LiveError> {
    let mut handles: Vec<(String, Handle)> = Vec::with_capacity(names.len());
    for name in names {
        if handles.iter().all(|(known, _)| known != name) {
            handles.push((name.clone(), Handle::open(name, options)?));
        }
    }
    if handles.is_empty() {
        return Err(LiveError {
            kind: LiveErrorKind::NoInterface,
            message: "no interface was named".to_owned(),
        });
    }
    Ok(Opened {
        handles,
        options: options.clone(),
    })
}

impl Opened {
    /// Captures from now on, each interface in a thread of its own.
    ///
    /// # Errors
    /// When the system allows no more threads.
    pub fn start(self) -> Result<Live, LiveError> {
        let (out, notes) = channel();
        let mut live = Live::new(notes, Lanes::default());
        for (number, (name, mut handle)) in self.handles.into_iter().enumerate() {
            live.interfaces.push(LiveInterface {
                name: Some(name.clone()),
                link: handle.link,
                speed: handle.speed,
                present: true,
                frames: 0,
                received: Some(0),
                dropped: Some(0),
                dropped_by_interface: Some(0),
                not_saved: None,
            });
            let (outbox, back) = Outbox::new(number, out.clone());
            live.lanes.add(back);
            let control = Arc::new(Control::default());
            let breaker = Arc::new(Mutex::new(Some(handle.capture.breakloop_handle())));
            let worker = Worker::new(
                name,
                number,
                self.options.clone(),
                Arc::clone(&control),
                Arc::clone(&breaker),
                outbox,
            );
            std::thread::Builder::new()
                .name(format!("capture-{number}"))
                .spawn(move || worker.run(handle))
                .map_err(|error| LiveError {
                    kind: LiveErrorKind::Other,
                    message: format!(
                        "no thread can be started for capturing: {}",
                        unnumbered(&error.to_string())
                    ),
                })?;
            live.feeds.push(Feed {
                ended: false,
                interface: number,
                wake: Some(Worker::waker(&control, &breaker)),
                control,
            });
        }
        Ok(live)
    }
}
