"""The schema, the loading and the queries, run by ClickHouse itself (chdb), judged by hand."""

import datetime
import json
import math
import os
import pathlib
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wirewait
from chdb import session

HERE = pathlib.Path(__file__).parent
CAPTURES = HERE.parents[1] / "captures"
#: What each probe has seen.
PROBES = {
    "london": sorted(CAPTURES.glob("*.pcapng")) + sorted(CAPTURES.glob("smb2/*.pcapng")),
    "paris": sorted(CAPTURES.glob("nbf/*.pcapng")) + sorted(CAPTURES.glob("ncp/*.pcapng")),
}
FROM, TO = "1970-01-01 00:00:00", "2099-12-31 00:00:00"


def statements(name):
    """The statements of a file, by their names if they have one."""
    found = {}
    for part in (HERE / name).read_text().split(";\n"):
        named = re.search(r"^-- name: (.*)$", part, re.M)
        text = re.sub(r"^\s*--.*$", "", part, flags=re.M).strip()
        if text:
            found[named[1] if named else len(found)] = text
    return found


def put(statement, **values):
    """Parameters in the place of {name:Type}, as the client puts them."""
    def value(match):
        given = values[match[1]]
        return str(given) if match[2].startswith("UInt") else f"'{given}'"

    return re.sub(r"\{(\w+):(\w+(?:\('\w+'\))?)\}", value, statement)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A database with the rows of all probes, and these rows."""
    folder = tmp_path_factory.mktemp("clickhouse")
    database = session.Session(str(folder / "data"))
    for statement in statements("schema.sql").values():
        database.query(statement)
    rows = []
    for probe, files in PROBES.items():
        for n, file in enumerate(files):
            table = pa.table(wirewait.open(file).transactions())
            parquet = folder / f"{probe}{n}.parquet"
            pq.write_table(table, parquet)
            for statement in statements("load.sql").values():
                database.query(
                    put(statement, probe=probe).replace("rows.parquet", str(parquet))
                )
            column = table.schema.get_field_index("request_time")
            ns = table["request_time"].cast(pa.int64())
            for row in table.set_column(column, "request_time", ns).to_pylist():
                if row["request_time"] is not None:
                    rows.append({**row, "probe": probe})
    return database, rows


def ask(database, name, step=3600):
    statement = put(statements("dashboard.sql")[name], **{"from": FROM, "to": TO, "step": step})
    text = database.query(
        statement + " SETTINGS output_format_json_quote_64bit_integers = 0", "JSONEachRow"
    )
    return [json.loads(line) for line in str(text).splitlines()]


def near(found, values, quantile):
    """Within the relative accuracy of the sketch of the value by nearest rank, or its neighbour."""
    values = sorted(values)
    rank = max(math.ceil(quantile * len(values)), 1)
    around = values[max(rank - 2, 0) : rank + 1]
    return any(abs(found - value) <= 0.0101 * value + 1 for value in around)


def test_all_rows_arrive_once(loaded):
    database, rows = loaded
    assert len(rows) > 500
    count = database.query("SELECT count() FROM wirewait.transactions")
    assert int(str(count)) == len(rows)
    # The states add up after they were merged, too.
    database.query("OPTIMIZE TABLE wirewait.by_minute FINAL")
    count = database.query("SELECT sum(requests) FROM wirewait.by_minute")
    assert int(str(count)) == len(rows)


def test_p99_of_reads_by_server_and_hour(loaded):
    database, rows = loaded
    wanted = {}
    for row in rows:
        if row["kind"] == "read":
            hour = datetime.datetime.fromtimestamp(row["request_time"] // 10**9, datetime.UTC)
            key = (row["server_address"], hour.strftime("%Y-%m-%d %H:00:00"))
            wanted.setdefault(key, []).append(row["turnaround_ns"])
    answer = ask(database, "p99 of reads by server and hour")
    assert {(row["server_address"], row["hour"]) for row in answer} == set(wanted)
    for row in answer:
        reads = wanted[row["server_address"], row["hour"]]
        assert row["requests"] == len(reads)
        times = [time for time in reads if time is not None]
        assert not times or near(row["p99_ns"], times, 0.99), row


def test_servers(loaded):
    database, rows = loaded
    wanted = {}
    for row in rows:
        server = wanted.setdefault(row["server_address"], {
            "probes": set(), "requests": 0, "failed": 0, "unanswered": 0, "repeated": 0,
            "data_bytes": 0, "waited_ns": 0, "longest_ns": 0, "clients": set(),
        })
        server["probes"].add(row["probe"])
        server["requests"] += 1
        server["failed"] += row["ok"] is False
        server["unanswered"] += row["outcome"] == "unanswered"
        server["repeated"] += max(row["copies"], 1) - 1
        server["data_bytes"] += row["data_bytes"]
        server["waited_ns"] += row["turnaround_ns"] or 0
        server["longest_ns"] = max(server["longest_ns"], row["turnaround_ns"] or 0)
        server["clients"].add(row["client_address"])
    answer = {row.pop("server_address"): row for row in ask(database, "servers")}
    assert set(answer) == set(wanted)
    for server, found in answer.items():
        found["probes"] = set(found["probes"])
        found["clients"] = int(found["clients"])
        wanted[server]["clients"] = len(wanted[server]["clients"])
        assert found == wanted[server], server


def test_time_course(loaded):
    database, rows = loaded
    answer = ask(database, "turnaround and response time over time", 86400)
    days = {}
    for row in rows:
        if row["turnaround_ns"] is not None:
            days.setdefault(row["request_time"] // (86400 * 10**9), []).append(row["turnaround_ns"])
    found = {
        datetime.datetime.fromisoformat(row["time"] + "+00:00").timestamp() // 86400: row
        for row in answer
    }
    assert days and set(days) <= set(found)
    for day, times in days.items():
        for quantile, value in zip((0.5, 0.95, 0.99), found[day]["turnaround_p50_p95_p99"]):
            assert near(value, times, quantile), (day, quantile, value)


def test_slowest_requests(loaded):
    database, rows = loaded
    times = [row["turnaround_ns"] for row in rows if row["turnaround_ns"] is not None]
    answer = ask(database, "slowest requests")
    assert [row["turnaround_ns"] for row in answer] == sorted(times, reverse=True)[:20]
    assert all(row["file"] and row["frame_in_file"] for row in answer)
