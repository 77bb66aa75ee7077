"""The package against the program: the same JSON, the same rows."""

import json
import os
import pathlib
import pickle
import re
import socket
import struct
import subprocess
import sys
import threading
import time

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import wirewait

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ["WIREWAIT_PROGRAM"]
DEMO = ROOT / "captures/demo.pcapng"
CAPTURES = sorted(ROOT.glob("captures/**/*.pcap*"))


def spread(paths, number):
    """This number of paths, from all parts of the list."""
    return [paths[n * len(paths) // number] for n in range(number)]


def run(*arguments, codes=(0,)):
    line = [PROGRAM, "--no-config", arguments[0], "--no-sandbox", *map(str, arguments[1:])]
    done = subprocess.run(line, capture_output=True)
    assert done.returncode in codes, done.stderr.decode()
    return done.stdout


def table_of(folder, *arguments):
    """What the program writes as Parquet."""
    file = folder / "rows.parquet"
    run(*arguments, "--format", "parquet", "--output", file)
    return pyarrow.parquet.read_table(file)


TWENTY = spread([path for path in CAPTURES if path != DEMO], 19) + [DEMO]


@pytest.mark.parametrize("path", TWENTY, ids=lambda path: path.stem)
def test_report_and_rows_are_those_of_the_program(path, tmp_path):
    capture = wirewait.open(path)
    assert capture.report() == json.loads(run("report", "--format", "json", path))
    assert capture.verdict == capture.report()["verdict"]
    assert capture.damage == []
    for rows, arguments in [
        (capture.transactions(), ["transactions", path]),
        (capture.frames(), ["decode", path]),
        (capture.counters(), ["counters", path]),
    ]:
        wanted = table_of(tmp_path, *arguments)
        found = pa.table(rows)
        assert found.equals(wanted), rows
        own, theirs = found.schema.metadata, wanted.schema.metadata
        for key in (b"wirewait.schema", b"wirewait.files", b"wirewait.version", b"pandas"):
            assert own[key] == theirs[key]
        assert pa.schema(rows) == found.schema
    assert capture.text() == run("report", path).decode()


def test_there_are_twenty_captures_with_rows():
    assert len(set(TWENTY)) == 20
    assert sum(pa.table(wirewait.open(path).transactions()).num_rows for path in TWENTY) > 500


def test_rows_go_to_each_library():
    capture = wirewait.open(DEMO)
    rows = capture.transactions()
    wanted = pa.table(rows)
    assert wanted.num_rows > 300
    frame = pl.DataFrame(rows)
    assert frame.height == wanted.num_rows
    assert frame["turnaround_ns"].to_list() == wanted["turnaround_ns"].to_pylist()
    assert frame.schema["request_time"] == pl.Datetime("ns", "UTC")
    frame = pd.DataFrame.from_arrow(rows)
    assert list(frame["command"]) == wanted["command"].to_pylist()
    answer = duckdb.sql("SELECT count(*), sum(request_bytes) FROM rows").fetchall()
    assert answer[0] == (wanted.num_rows, sum(wanted["request_bytes"].to_pylist()))
    # The reader of a stream takes batch by batch.
    reader = pa.RecordBatchReader.from_stream(rows)
    assert sum(batch.num_rows for batch in reader) == wanted.num_rows


def test_rows_that_were_read_leave_the_report():
    capture = wirewait.open(DEMO)
    pa.table(capture.transactions())
    assert capture.report() == wirewait.open(DEMO).report()


def test_several_files_are_one_capture():
    files = [ROOT / "captures/smb2/session.pcapng", ROOT / "captures/nbf/example.pcapng"]
    capture = wirewait.open(files)
    assert capture.report() == json.loads(run("report", "--format", "json", *files))
    named = set(pa.table(capture.transactions())["file"].to_pylist())
    assert named == set(map(str, files))


def test_bytes_are_a_capture():
    capture = wirewait.open(DEMO.read_bytes(), name=str(DEMO))
    assert capture.report() == wirewait.open(DEMO).report()
    assert pa.table(capture.transactions()).equals(
        pa.table(wirewait.open(DEMO).transactions())
    )


def test_options_are_those_of_the_program():
    capture = wirewait.open(
        str(DEMO), filter="tcp port 445", timeout=2, think=0.25, wait=0.2,
        link_speed=10_000_000, duplex="half", private=True,
    )
    wanted = run(
        "report", "--format", "json", "--filter", "tcp port 445", "--timeout", "2s",
        "--think", "250ms", "--wait", "200ms", "--link-speed", "10M", "--duplex", "half",
        "--private", DEMO,
    )
    assert capture.report() == json.loads(wanted)


def test_frames_are_chosen():
    show = "smb2.Command == 8"
    shown = pa.table(wirewait.open(DEMO).frames(show))
    wanted = run("decode", "--format", "json", "--show", show, DEMO).decode().splitlines()
    assert shown["frame"].to_pylist() == [json.loads(line)["frame"] for line in wanted]
    assert shown.num_rows > 10


def test_summaries_add_up_as_merge_does(tmp_path):
    files = []
    for n, path in enumerate(TWENTY):
        files.append(tmp_path / f"{n}.json")
        run("report", "--summary", files[-1], "--output", tmp_path / "report", path)
    wanted = run("merge", "--format", "json", *files)
    summaries = [wirewait.open(path).summary() for path in TWENTY]
    sum_of_all = wirewait.merge(summaries)
    assert sum_of_all.to_bytes() == wanted
    assert sum_of_all.to_dict() == json.loads(wanted)
    assert sum_of_all == wirewait.merge(file.read_bytes() for file in reversed(files))
    assert sum_of_all != summaries[0]
    assert pickle.loads(pickle.dumps(sum_of_all)) == sum_of_all
    assert summaries[0] + summaries[1] == wirewait.merge(summaries[:2])
    assert wirewait.merge([]) + summaries[0] == summaries[0]


def test_damage_is_said_and_the_rest_counts(tmp_path):
    cut = tmp_path / "cut.pcapng"
    whole = DEMO.read_bytes()
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    capture = wirewait.open(cut)
    with pytest.warns(UserWarning, match="cut.pcapng"):
        report = capture.report()
    wanted = json.loads(run("report", "--format", "json", cut, codes=[3]))
    assert report == wanted
    assert len(capture.damage) == 1 and str(cut) in capture.damage[0]


def test_errors_have_the_texts_of_the_program(tmp_path):
    missing = tmp_path / "missing.pcap"
    with pytest.raises(wirewait.CaptureError, match="missing.pcap"):
        wirewait.open(missing)
    none = tmp_path / "none.txt"
    none.write_text("no capture at all, but long enough to look at " * 9)
    with pytest.raises(wirewait.CaptureError, match="none.txt"):
        wirewait.open(none)
    with pytest.raises(wirewait.FilterError, match="pcap-filter"):
        wirewait.open(DEMO, filter="tcp port")
    with pytest.raises(wirewait.FilterError, match="show"):
        wirewait.open(DEMO).frames("smb2.Command ==")
    with pytest.raises(wirewait.CaptureError, match="not a summary"):
        wirewait.Summary.from_bytes(b"{}")
    with pytest.raises(ValueError, match="timeout"):
        wirewait.open(DEMO, timeout=float("nan"))
    with pytest.raises(ValueError, match="duplex"):
        wirewait.open(DEMO, duplex="both")
    with pytest.raises(TypeError):
        wirewait.open(7)
    for error in (wirewait.CaptureError, wirewait.FilterError, wirewait.RightsError):
        assert issubclass(error, wirewait.Error)


def test_an_error_while_rows_are_read_is_not_their_end(tmp_path):
    file = tmp_path / "soon gone.pcapng"
    file.write_bytes(DEMO.read_bytes())
    rows = wirewait.open(file).transactions()
    file.unlink()
    with pytest.raises(Exception, match="soon gone.pcapng"):
        pa.table(rows)
    with pytest.raises(Exception, match="no frame that was looked at has"):
        pa.table(wirewait.open(ROOT / "captures/nbf/example.pcapng").frames("smb2.Command == 8"))


def large(tmp_path):
    """A capture that takes a while."""
    file = tmp_path / "large.pcap"
    run("decode", DEMO, "--frames", "1")
    with open(file, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        frame = bytes(12) + b"\x08\x06" + bytes(46)
        for n in range(3_000_000):
            out.write(struct.pack("<IIII", n // 1000, n % 1000, 60, 60))
            out.write(frame)
    return file


def test_other_threads_run_meanwhile(tmp_path):
    capture = wirewait.open(large(tmp_path))
    ticks = 0
    analysing = threading.Thread(target=capture.report)
    analysing.start()
    while analysing.is_alive():
        time.sleep(0.005)
        ticks += 1
    assert capture.report()["capture"]["frames"] == 3_000_000
    assert ticks > 10


def test_ctrl_c_ends_the_analysis(tmp_path):
    file = large(tmp_path)
    program = f"""
import os, signal, threading, wirewait
capture = wirewait.open({str(file)!r})
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    capture.report()
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "interrupted\n", done.stderr


def frames_of(path):
    """The frames of a pcapng file with one interface, in this machine's byte order."""
    data, at, frames = path.read_bytes(), 0, []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            captured = struct.unpack_from("<I", data, at + 20)[0]
            frames.append(data[at + 28 : at + 28 + captured])
        at += length
    return frames


@pytest.fixture
def wire():
    """Two ends of a wire of this machine's own; what is sent at one is captured at the other."""
    names = [f"wwpy{end}{os.getpid() % 100000}" for end in "ab"]
    made = subprocess.run(
        ["ip", "link", "add", names[0], "type", "veth", "peer", "name", names[1]],
        capture_output=True,
    ) if os.geteuid() == 0 else None
    if made is None or made.returncode != 0:
        pytest.skip("no right to make interfaces")
    try:
        for name in names:
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
            subprocess.run(["ip", "link", "set", name, "up"], check=True)
        yield names
    finally:
        subprocess.run(["ip", "link", "del", names[0]], check=True)


def send(name, frames):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((name, 0))
        for frame in frames:
            out.send(frame)


SESSION = ROOT / "captures/smb2/session.pcapng"


def test_live_capture_gives_transactions_as_they_complete(wire):
    frames = frames_of(SESSION)
    wanted = pa.table(wirewait.open(SESSION).transactions())["command"].to_pylist()
    with wirewait.live(wire[1], duration=20) as live:
        send(wire[0], frames)
        seen = []
        for row in live:
            seen.append(row["command"])
            assert row["protocol"] == "smb2" and row["file"] is None
            if len(seen) == len(wanted) - 1:
                # In the middle of it.
                assert live.report()["capture"]["frames"] > 0
                live.stop()
    assert sorted(seen) == sorted(wanted)
    report = live.report()
    assert report["capture"]["files"] == [wire[1]]
    assert report["capture"]["frames"] == len(frames)
    assert live.verdict == report["verdict"]
    assert wirewait.merge([live.summary()]) == live.summary()
    assert list(live) == []


def test_live_capture_ends_by_count(wire):
    frames = frames_of(SESSION)
    live = wirewait.live(wire[1], count=5)
    threading.Timer(0.2, send, (wire[0], frames)).start()
    list(live)
    assert live.report()["capture"]["frames"] == 5


def test_live_capture_says_what_is_missing():
    with pytest.raises(wirewait.CaptureError, match="nosuchif0"):
        wirewait.live("nosuchif0")
    with pytest.raises(ValueError, match="snaplen"):
        wirewait.live("lo", snaplen=1)
    if os.geteuid() != 0:
        pytest.skip("not root: nothing to give up")
    # The user nobody has no rights, and sees no folder of root's.
    program = """
import os, sys, wirewait
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    wirewait.live("lo")
except wirewait.RightsError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "lo" in done.stdout and "CAP_NET_RAW" in done.stdout, (done.stdout, done.stderr)
    assert "dumpcap" in done.stdout


def test_the_examples_of_the_page_run(tmp_path, monkeypatch):
    page = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    assert len(blocks) >= 4
    (tmp_path / "captures").symlink_to(ROOT / "captures")
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        names = {}
        exec(compile(block, "docs/python.md", "exec"), names)
        if "p99" in names:
            assert ("10.0.0.8", 250_000_000) in [(row[0], row[2]) for row in names["p99"]]
