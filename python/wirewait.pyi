"""Shows where a file server's wait is: in the client, the network or the server."""

import os
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, final

__all__ = [
    "Capture",
    "CaptureError",
    "Error",
    "FilterError",
    "Live",
    "RightsError",
    "Rows",
    "Summary",
    "__version__",
    "live",
    "merge",
    "open",
]

__version__: str

class Error(Exception):
    """Base of all errors of this package."""

class CaptureError(Error):
    """A capture or a summary cannot be read."""

class FilterError(Error):
    """A capture filter or an expression for frames is wrong."""

class RightsError(Error):
    """Capturing requires rights that this process does not have."""

def open(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | bytes,
    *,
    filter: str | None = None,
    zone_offset: int | None = None,
    skip_unreadable: bool = False,
    name: str = "bytes",
    timeout: float = 60.0,
    think: float = 0.5,
    wait: float = 0.1,
    link_speed: int | None = None,
    duplex: Literal["half", "full"] | None = None,
    private: bool = False,
) -> Capture:
    """Opens a capture: a file, the files of one capture, or its bytes.

    filter: capture filter (pcap-filter syntax).
    zone_offset: seconds east of UTC, for formats that hold local times.
    skip_unreadable: of several files, skip those that cannot be read; each is damage.
    name: what the rows of bytes name as their file.
    timeout: seconds after which a request counts as unanswered.
    think: pauses longer than these seconds count as think time.
    wait: blocking requests answered later than these seconds count as waiting by design.
    link_speed: bits per second, instead of that in the capture.
    private: replaces names of users, shares and files by numbers.
    """

@final
class Capture:
    """A capture. It is read when something is first asked of it."""

    def report(self) -> dict[str, Any]:
        """The whole report: the JSON of `wirewait report --format json`."""
    def text(self) -> str:
        """The report as text: that of `wirewait report`."""
    @property
    def verdict(self) -> dict[str, Any]:
        """Where the wait is: the part `verdict` of the report."""
    @property
    def damage(self) -> list[str]:
        """What is wrong with the files, a sentence each."""
    def summary(self) -> Summary:
        """Its sums, to be added to others."""
    def transactions(self) -> Rows:
        """A row for each transaction (schemas/transaction.schema.json)."""
    def frames(self, show: str | None = None) -> Rows:
        """A row for each frame; `show` chooses frames, as `wirewait decode --show` does."""
    def counters(self, interval: float = 1.0, max_values: int = 20_000_000) -> Rows:
        """A row for each value of a Performance Monitor counter, each `interval` seconds."""

@final
class Rows:
    """Rows of a capture as an Arrow stream, read anew each time that it is taken.

    pyarrow.table(rows), polars.DataFrame(rows), pandas.DataFrame.from_arrow(rows), and DuckDB by
    the name of the variable.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Summary:
    """Sums of one capture or of many: integers alone, so that their order does not matter."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Summary:
        """Reads what `to_bytes` or `wirewait report --summary` wrote."""
    def to_bytes(self) -> bytes:
        """The document of `wirewait report --summary`; equal sums have equal bytes."""
    def to_dict(self) -> dict[str, Any]:
        """The JSON of `wirewait merge --format json`."""
    def __add__(self, other: Summary, /) -> Summary: ...
    def __radd__(self, other: Summary, /) -> Summary: ...
    def __eq__(self, other: object, /) -> bool: ...

def merge(summaries: Iterable[Summary | bytes]) -> Summary:
    """Adds up summaries; of none it is the empty one."""

def live(
    *interfaces: str,
    filter: str | None = None,
    duration: float | None = None,
    count: int | None = None,
    snaplen: int = 65_535,
    buffer: int = 67_108_864,
    promiscuous: bool = True,
    timeout: float = 60.0,
    think: float = 0.5,
    wait: float = 0.1,
    link_speed: int | None = None,
    duplex: Literal["half", "full"] | None = None,
    private: bool = False,
) -> Live:
    """Captures from interfaces; without a name from the busiest one.

    Requires CAP_NET_RAW; RightsError says what to do without it.
    filter: capture filter (pcap-filter syntax).
    duration, count: ends after these seconds, or after this number of frames.
    buffer: bytes of the kernel's buffer for each interface.
    The others are those of `open`.
    """

@final
class Live:
    """A capture under way: an iterator over its transactions, a dict each, as they complete."""

    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __next__(self) -> dict[str, Any]: ...
    def stop(self) -> None:
        """Ends the capture: frames that were captured before still count."""
    def report(self) -> dict[str, Any]:
        """The report as it stands: the JSON of `wirewait live --format json`."""
    @property
    def verdict(self) -> dict[str, Any]:
        """Where the wait is, as it stands."""
    def summary(self) -> Summary:
        """Its sums as they stand."""
    def __enter__(self) -> Live: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
        /,
    ) -> None: ...
