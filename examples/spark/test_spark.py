"""Two hundred captures on Spark in local mode: the same figures as the program on one machine."""

import itertools
import os
import pathlib
import subprocess
import sys
import time

import duckdb
import pytest
import wirewait
from pyspark.sql import SparkSession

import wirewait_spark

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ["WIREWAIT_PROGRAM"]
#: Real captures stand beside the project; where they do not, its own are taken alone.
FOLDERS = [ROOT / "captures", ROOT.parent / "shared/captures"]
ENDINGS = (".pcap", ".pcapng", ".cap", ".trc", ".gz")


def captures():
    """At most 200 captures of less than 5 MB, and a file that is none."""
    files = itertools.chain.from_iterable(sorted(folder.rglob("*")) for folder in FOLDERS)
    files = [f for f in files if f.name.endswith(ENDINGS) and f.stat().st_size < 5_000_000]
    return [str(file) for file in files[:199]]


def program(*arguments):
    line = [PROGRAM, "--no-config", arguments[0], "--no-sandbox", *map(str, arguments[1:])]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    files = captures()
    if len(files) < 199:
        assert "WIREWAIT_REQUIRE_CAPTURES" not in os.environ
    broken = folder / "none.pcap"
    broken.write_text("not a capture, but long enough to be looked at as if it were one\n" * 9)
    files.append(str(broken))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Workers import the functions by the name of their module.
    os.environ["PYTHONPATH"] = str(ROOT / "examples/spark")
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    output = str(folder / "out")
    begun = time.monotonic()
    by_day = wirewait_spark.run(spark, files, output)
    days = {row.day: bytes(row.summary) for row in by_day.collect()}
    print(f"{len(files)} captures on Spark: {time.monotonic() - begun:.1f} s")
    yield folder, files, output, days
    spark.stop()


def test_sums_are_those_of_one_machine(work):
    folder, files, _, days = work
    listed = folder / "files.txt"
    listed.write_text("".join(f"{file}\n" for file in files))
    one = folder / "one.json"
    said = program("report", "--parallel", "2", "--files-from", listed, "--summary", one,
                   "--output", folder / "report.txt")
    assert "none.pcap" in said
    total = wirewait.merge(days.values())
    assert total.to_bytes() == one.read_bytes()
    assert len(days) > 20 and total.to_dict()["frames"] > 50_000


#: Everything of a row but what depends on the file that it stands in.
FIGURES = """
    SELECT server_address, protocol, kind, count(*), count(turnaround_ns), sum(turnaround_ns),
           sum(response_time_ns), sum(data_bytes), count(*) FILTER (NOT ok),
           quantile_disc(turnaround_ns, 0.99), max(turnaround_ns), sum(frame_in_file)
    FROM read_parquet({files}) {where} GROUP BY ALL ORDER BY ALL
"""


def test_rows_are_those_of_one_machine(work):
    folder, files, output, _ = work
    alone = folder / "alone"
    alone.mkdir()
    for n, file in enumerate(files[:-1]):
        program("transactions", file, "--output", alone / f"{n}.parquet")
    wanted = duckdb.sql(FIGURES.format(files=f"'{alone}/*.parquet'", where="")).fetchall()
    found = FIGURES.format(files=f"'{output}/part=transaction/*/*.parquet'", where="")
    assert duckdb.sql(found).fetchall() == wanted
    assert len(wanted) > 100
    # A day is that of the request, in UTC.
    wrong = duckdb.sql(f"""
        SELECT count(*) FROM read_parquet('{output}/part=transaction/*/*.parquet',
                                          hive_partitioning = true, hive_types = {{'day': VARCHAR}})
        WHERE day <> coalesce(strftime(make_timestamp(request_ns // 1000), '%Y-%m-%d'), 'none')
    """).fetchall()
    assert wrong == [(0,)]


def test_problems_are_listed(work):
    _, files, output, _ = work
    problems = dict(duckdb.sql(f"""
        SELECT capture, problem FROM '{output}/part=problem/*/*.parquet'
    """).fetchall())
    assert "none.pcap" in problems[files[-1]]
    assert set(problems) <= set(files)


def test_files_of_a_ring_are_one_capture():
    names = ["/x/a_00001_20260101120000.pcapng", "/x/b.pcap", "/x/a_00002_20260101130000.pcapng",
             "/y/a_00001_20260101120000.pcapng", "/x/a_1_20260101120000.pcapng"]
    found = wirewait_spark.chains(names)
    assert sorted(map(len, found)) == [1, 1, 1, 2]
    assert [names[0], names[2]] in found
