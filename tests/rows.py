"""Reads rows with engines that are not ours. Run by tests/rows.rs.

Usage: rows.py same FOLDER SCHEMA   all formats hold the same rows of transactions
       rows.py ask FOLDER DOCS      the statements of docs/rows.md, and the same of csv and ndjson
       rows.py frames FOLDER        rows of frames are the objects of decode --format json
       rows.py counters FOLDER      rows of counters are those of counters --format csv
"""

import csv
import json
import math
import re
import sys

import chdb
import duckdb
import pandas as pd
import polars as pl
import pyarrow.feather
import pyarrow.parquet

folder = sys.argv[2]
if sys.argv[1] in ("same", "ask"):
    ndjson = [json.loads(line) for line in open(f"{folder}/rows.ndjson")]


def same():
    schema = json.load(open(sys.argv[3]))["properties"]
    parquet = pyarrow.parquet.read_table(f"{folder}/rows.parquet")
    arrow = pyarrow.feather.read_table(f"{folder}/rows.arrow")
    metadata = pyarrow.parquet.read_metadata(f"{folder}/rows.parquet").metadata
    for known in (metadata, arrow.schema.metadata):
        assert known[b"wirewait.schema"] == b"wirewait.transaction/1", known
        assert known[b"wirewait.files"], known
    assert int(metadata[b"wirewait.frames"]) > 0
    for name, table in (("parquet", parquet), ("arrow", arrow)):
        assert table.column_names == list(ndjson[0]), (name, table.column_names)
        assert set(table.column_names) == set(schema), name
        for field in table.schema:
            kinds = schema[field.name].get("type", schema[field.name].get("$ref"))
            kinds = kinds if isinstance(kinds, list) else [kinds]
            told = str(field.type)
            expected = {
                "int64": "integer", "uint64": "integer", "bool": "boolean", "string": "string",
                "timestamp[ns, tz=UTC]": "string",
            }.get(told, "array" if told.startswith("list") else None)
            assert expected is None or expected in kinds, (field, kinds)
        # Nanoseconds, which Python's own times do not have.
        column = table.schema.get_field_index("request_time")
        table = table.set_column(column, "request_time", table["request_time"].cast("int64"))
        rows = table.to_pylist()
        assert len(rows) == len(ndjson), (name, len(rows), len(ndjson))
        for row, wanted in zip(rows, ndjson):
            wanted = dict(wanted)
            if wanted["request_time"] is not None:
                wanted["request_time"] = pd.Timestamp(wanted["request_time"]).value
            assert row == wanted, (name, row, wanted)
    # pandas has no nulls among its usual integers.
    for read in (pd.read_parquet(f"{folder}/rows.parquet"), pd.read_feather(f"{folder}/rows.arrow")):
        for column in ("turnaround_ns", "response_time_ns", "function", "server_port", "copies"):
            assert str(read.dtypes[column]) == "Int64", (column, read.dtypes[column])
        assert str(read.dtypes["file_offset"]) == "UInt64"
        turnarounds = [None if v is pd.NA else int(v) for v in read["turnaround_ns"]]
        assert turnarounds == [row["turnaround_ns"] for row in ndjson]
    # Without an option, integers are integers in CSV, too.
    for name, types in (
        ("polars", dict(pl.read_csv(f"{folder}/rows.csv", infer_schema_length=None).schema)),
        ("DuckDB", {
            row[0]: row[1]
            for row in duckdb.sql(f"DESCRIBE FROM '{folder}/rows.csv'").fetchall()
        }),
    ):
        for column in ("conversation", "request_bytes", "server_port", "transaction", "copies",
                       "response_time_ns", "frames.request", "frame_in_file"):
            assert str(types[column]) in ("Int64", "BIGINT"), (name, column, types[column])
    print(len(ndjson))


def ask():
    statements = dict(
        (match[1], match[2])
        for match in re.finditer(r"^```\w+ (\w+)\n(.*?)^```", open(sys.argv[3]).read(), re.S | re.M)
    )
    assert sorted(statements) == ["clickhouse", "duckdb", "pandas", "polars"], statements
    # Nearest rank, by hand.
    groups = {}
    for row in ndjson:
        if row["kind"] == "read" and row["turnaround_ns"] is not None:
            key = (row["server_address"], row["request_time"][:13])
            groups.setdefault(key, []).append(row["turnaround_ns"])
    judge = {}
    for key, times in groups.items():
        times.sort()
        rank = math.ceil(len(times) * 0.99)
        judge[key] = (times[rank - 1], times[min(rank, len(times) - 1)])
    formats = ["parquet", "csv", "ndjson", "arrow"]
    duckdb.sql("SET TimeZone = 'UTC'")
    for format in formats:
        for engine, statement in statements.items():
            text = statement.replace("rows.parquet", f"{folder}/rows.{format}")
            if format != "parquet":
                text = text.replace("scan_parquet", {
                    "csv": "scan_csv", "ndjson": "scan_ndjson", "arrow": "scan_ipc",
                }[format])
                text = text.replace(f'read_parquet("{folder}/rows.ndjson")',
                                    f'read_json("{folder}/rows.ndjson", lines=True)')
                text = text.replace("read_parquet", {
                    "csv": "read_csv", "arrow": "read_feather", "ndjson": "",
                }[format])
            if engine == "duckdb":
                if format == "arrow":
                    continue
                answer = duckdb.sql(text).fetchall()
            elif engine == "clickhouse":
                answer = [
                    (row["server_address"], row["hour"], row["p99_ns"])
                    for row in map(json.loads, str(chdb.query(
                        text + " SETTINGS session_timezone = 'UTC', "
                        "output_format_json_quote_64bit_integers = 0", "JSONEachRow"
                    )).splitlines())
                ]
            else:
                # Times are texts in CSV and NDJSON, for these two.
                if engine == "pandas":
                    text = text.replace("rows.request_time.dt",
                                        "pd.to_datetime(rows.request_time).dt")
                elif format in ("csv", "ndjson"):
                    text = text.replace('pl.col("request_time")',
                                        'pl.col("request_time").str.to_datetime(time_zone="UTC")')
                answer = eval(text, {"pl": pl, "pd": pd})  # statements of our own page
                answer = (
                    answer.rows() if engine == "polars"
                    else [(*key, value) for key, value in answer.items()]
                )
            answer = {
                (server, str(hour)[:13].replace(" ", "T")): int(p99) for server, hour, p99 in answer
            }
            assert answer.keys() == judge.keys(), (engine, format, answer, judge)
            for key, value in answer.items():
                allowed = judge[key][:1] if engine == "duckdb" else judge[key]
                assert value in allowed, (engine, format, key, value, allowed)
    # What the page shows is the answer.
    page = open(sys.argv[3]).read()
    for (server, hour), (p99, _) in judge.items():
        line = f"| {server} | {hour.replace('T', ' ')}:00 | {p99} |"
        assert line in page, line
    print(json.dumps([[*key, value[0]] for key, value in judge.items()]))


def frames():
    table = pyarrow.parquet.read_table(f"{folder}/frames.parquet")
    arrow = pyarrow.feather.read_table(f"{folder}/frames.arrow")
    assert table.equals(arrow)
    assert str(table.schema.field("time").type) == "timestamp[ns, tz=UTC]", table.schema
    metadata = pyarrow.parquet.read_metadata(f"{folder}/frames.parquet").metadata
    assert metadata[b"wirewait.schema"] == b"wirewait.frame/1"
    column = table.schema.get_field_index("time")
    table = table.set_column(column, "time", table["time"].cast("int64"))
    rows = table.to_pylist()
    wanted = [json.loads(line) for line in open(f"{folder}/frames.ndjson")]
    assert len(rows) == len(wanted), (len(rows), len(wanted))
    for row, frame in zip(rows, wanted):
        layers = [layer["protocol"] for layer in frame["layers"]]
        deeds = frame["transactions"]
        assert row["frame"] == frame["frame"]
        assert row["time"] == pd.Timestamp(frame["time"]).value
        assert row["wire_bytes"] == frame["wire_bytes"]
        assert row["captured_bytes"] == frame["captured_bytes"]
        assert row["source"] == frame["source"] and row["destination"] == frame["destination"]
        assert row["source"].startswith(row["source_address"].strip("[]")) or "[" in row["source"]
        assert row["protocols"][:len(layers)] == layers, (row, layers)
        assert row["transactions"] == [deed["transaction"] for deed in deeds], (row, deeds)
        assert row["roles"] == [deed["part"] for deed in deeds]
        assert row["role"] == (deeds[0]["part"] if deeds else None)
        assert row["protocol"] == (row["protocols"] or [None])[-1]
    print(len(rows))


def counters():
    parquet = pyarrow.parquet.read_table(f"{folder}/counters.parquet")
    assert parquet.equals(pyarrow.feather.read_table(f"{folder}/counters.arrow"))
    metadata = pyarrow.parquet.read_metadata(f"{folder}/counters.parquet").metadata
    assert metadata[b"wirewait.schema"] == b"wirewait.counter/1"
    column = parquet.schema.get_field_index("time")
    parquet = parquet.set_column(column, "time", parquet["time"].cast("int64"))
    rows = parquet.to_pylist()
    with open(f"{folder}/counters.csv") as file:
        wanted = list(csv.DictReader(file))
    assert len(rows) == len(wanted) > 0, (len(rows), len(wanted))
    for row, expected in zip(rows, wanted):
        assert list(row) == list(expected)
        assert row["time"] == pd.Timestamp(expected["time"]).value
        for name in ("station", "object", "instance", "counter", "type", "default_scale", "mark"):
            # Spreadsheets run texts that begin like formulas.
            assert row[name] == expected[name].removeprefix("'"), (row, expected)
        assert row["index"] == (int(expected["index"]) if expected["index"] else None)
        assert row["value"] == (float(expected["value"]) if expected["value"] else None)
    print(len(rows))


{"same": same, "ask": ask, "frames": frames, "counters": counters}[sys.argv[1]]()
