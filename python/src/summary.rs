//! Sums of one capture or of many.

use crate::capture::written;
use crate::failure::Failure;
use crate::object;
use engine::Snapshot;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use wirewait_report::summary;

/// Sums that can be added up: integers alone, so that the order does not matter.
#[pyclass(frozen, module = "wirewait")]
pub(crate) struct Summary(engine::Summary);

/// Adds up summaries, or what `Summary.to_bytes` or `wirewait report --summary` wrote.
#[pyfunction]
pub(crate) fn merge(summaries: &Bound<'_, PyAny>) -> PyResult<Summary> {
    let mut sum = engine::Summary::default();
    for item in summaries.try_iter()? {
        let item = item?;
        if let Ok(one) = item.cast::<Summary>() {
            sum.merge(&one.get().0);
        } else {
            sum.merge(&read(item.cast::<PyBytes>()?.as_bytes())?);
        }
    }
    Ok(Summary(sum))
}

#[pymethods]
impl Summary {
    /// Reads what `to_bytes` or `wirewait report --summary` wrote.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(read(bytes)?))
    }

    /// The document of `wirewait report --summary`; equal sums have equal bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.json()?))
    }

    /// The document as a dict: the JSON of `wirewait merge --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.json()?)
    }

    fn __add__(&self, other: &Self) -> Self {
        let mut sum = self.0.clone();
        sum.merge(&other.0);
        Self(sum)
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.json()? == other.json()?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        let bytes = slf.get().to_bytes(py)?;
        PyTuple::new(py, [read, PyTuple::new(py, [bytes])?.into_any()])
    }
}

impl Summary {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        Self(engine::Summary::of(snapshot))
    }

    fn json(&self) -> Result<Vec<u8>, Failure> {
        written(|out| summary::json(out, &self.0))
    }
}

fn read(bytes: &[u8]) -> Result<engine::Summary, Failure> {
    summary::read(bytes).map_err(|refused| Failure::Capture(refused.to_string()))
}
