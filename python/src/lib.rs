//! The Python package `wirewait`: what `wirewait.pyi` declares.
//!
//! Figures come as the JSON of `wirewait report`, rows as Arrow through the `PyCapsule` interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>), so that pyarrow,
//! polars, pandas and DuckDB take them without copies. Python's lock is released while captures are
//! read and analysed.

mod capture;
mod failure;
mod input;
#[cfg(feature = "libpcap")]
mod live;
mod rows;
mod stream;
mod summary;

use pyo3::prelude::*;

#[pymodule]
mod wirewait {
    #[pymodule_export]
    use crate::capture::{Capture, open};
    #[pymodule_export]
    use crate::failure::{CaptureError, Error, FilterError, RightsError};
    #[cfg(feature = "libpcap")]
    #[pymodule_export]
    use crate::live::{Live, live};
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::summary::{Summary, merge};
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// A Python object from JSON.
fn object<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let text = String::from_utf8_lossy(json);
    py.import("json")?.call_method1("loads", (text,))
}
