//! What goes wrong, as exceptions with the texts of the program.

use engine::SourceError;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use std::fmt;
use wirewait_rows::RowsError;

create_exception!(
    wirewait,
    Error,
    PyException,
    "Base of all errors of this package."
);
create_exception!(
    wirewait,
    CaptureError,
    Error,
    "A capture or a summary cannot be read."
);
create_exception!(
    wirewait,
    FilterError,
    Error,
    "A capture filter or an expression for frames is wrong."
);
create_exception!(
    wirewait,
    RightsError,
    Error,
    "Capturing requires rights that this process does not have."
);

/// Why something cannot be done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A capture, an interface or a summary cannot be read.
    Capture(String),
    Filter(String),
    #[cfg(feature = "libpcap")]
    Rights(String),
    /// A value that makes no sense.
    Usage(String),
    /// Python was asked to stop.
    Python(PyErr),
    /// A mistake of this package.
    Internal(String),
    /// Nobody takes the rows any more.
    Gone,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capture(text) | Self::Filter(text) | Self::Usage(text) | Self::Internal(text) => {
                f.write_str(text)
            }
            #[cfg(feature = "libpcap")]
            Self::Rights(text) => f.write_str(text),
            Self::Python(error) => error.fmt(f),
            Self::Gone => f.write_str("the rows were not read to their end"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Capture(error.to_string())
    }
}

impl From<RowsError> for Failure {
    fn from(error: RowsError) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Capture(text) => CaptureError::new_err(text),
            Failure::Filter(text) => FilterError::new_err(text),
            #[cfg(feature = "libpcap")]
            Failure::Rights(text) => RightsError::new_err(text),
            Failure::Usage(text) => PyValueError::new_err(text),
            Failure::Python(error) => error,
            Failure::Internal(text) => PyRuntimeError::new_err(text),
            Failure::Gone => PyRuntimeError::new_err(failure.to_string()),
        }
    }
}
