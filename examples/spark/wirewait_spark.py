"""Ten thousand captures: rows and sums on Spark.

    spark-submit wirewait_spark.py --output OUT CAPTURE...

Each capture is analysed once, by one task, with the package `wirewait`. OUT becomes

    OUT/part=transaction/day=2026-11-25/*.parquet   a row for each transaction
    OUT/part=summary/day=2026-11-25/*.parquet       the sums of each capture
    OUT/part=problem/day=none/*.parquet             captures that are damaged or cannot be read

and OUT.summary.json the sums of all, as `wirewait merge` reads them. Files of a ring
(name_00001_20261125120000.pcapng) are one capture: a request may begin in one and end in the next.
"""

import argparse
import datetime
import glob
import os
import pathlib
import re
import warnings

import pyarrow as pa
import wirewait
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

RING = re.compile(r"^(.*)_\d{5,}_\d{14}(\..*)?$")

#: Beside the columns of transactions: the capture, and what is not a transaction.
EXTRA = [
    pa.field("part", pa.string()),
    pa.field("day", pa.string()),
    pa.field("capture", pa.string()),
    pa.field("summary", pa.binary()),
    pa.field("problem", pa.string()),
]


def chains(paths: list[str]) -> list[list[str]]:
    """Captures: files of a ring together, every other file alone."""
    found: dict[str, list[str]] = {}
    for path in paths:
        ring = RING.match(os.path.basename(path))
        key = os.path.join(os.path.dirname(path), f"{ring[1]}_{ring[2] or ''}") if ring else path
        found.setdefault(key, []).append(path)
    return list(found.values())


def for_spark(schema: pa.Schema) -> pa.Schema:
    """Spark's times have microseconds, and its integers a sign: durations stay as they are, the
    nanoseconds of a request are in `request_ns`, and the rare unsigned numbers become decimals."""
    def known(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_timestamp(kind):
            return pa.timestamp("us", "UTC")
        return pa.decimal128(20, 0) if kind == pa.uint64() else kind

    fields = [pa.field(field.name, known(field.type)) for field in schema]
    return pa.schema([*EXTRA, pa.field("request_ns", pa.int64()), *fields])


def schema() -> pa.Schema:
    """The columns of the output."""
    # An empty capture: columns do not depend on what is in it.
    empty = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")
    return for_spark(pa.schema(wirewait.open(empty).transactions()))


def transactions(batch: pa.RecordBatch, capture: str, columns: pa.Schema) -> pa.RecordBatch:
    """A batch of transactions with the columns of the output."""
    times = batch["request_time"]
    ns = times.cast(pa.int64())
    arrays = []
    for field in columns:
        if field.name == "part":
            array = pa.repeat("transaction", len(batch))
        elif field.name == "day":
            # A response without a request has no time of one.
            days = times.cast(pa.date32()).cast(pa.string())
            array = days.fill_null("none")
        elif field.name == "capture":
            array = pa.repeat(capture, len(batch))
        elif field.name == "request_ns":
            array = ns
        elif field.name in ("summary", "problem"):
            array = pa.nulls(len(batch), field.type)
        else:
            array = batch[field.name].cast(field.type, safe=field.name != "request_time")
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def single(columns: pa.Schema, **values: object) -> pa.RecordBatch:
    """A row with these values and nulls elsewhere."""
    arrays = [pa.array([values.get(field.name)], field.type) for field in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def analyse(batches):
    """What a task does: a row of paths in, the rows of that capture out."""
    columns = schema()
    warnings.simplefilter("ignore")  # damage is a row of its own
    for batch in batches:
        for chain in batch["chain"].to_pylist():
            name = chain[0]
            try:
                capture = wirewait.open(chain)
                rows = pa.RecordBatchReader.from_stream(capture.transactions())
                for made in rows:
                    yield transactions(made, name, columns)
                # The rows were read to their end: the figures are there.
                first = capture.report()["capture"]["first"]
                damage = capture.damage
                summary = capture.summary().to_bytes()
            except (wirewait.Error, OSError) as error:
                yield single(columns, part="problem", day="none", capture=name, problem=str(error))
                continue
            day = first[:10] if first else "none"
            yield single(columns, part="summary", day=day, capture=name, summary=summary)
            if damage:
                text = "\n".join(damage)
                yield single(columns, part="problem", day="none", capture=name, problem=text)


def merge(table: pa.Table) -> pa.Table:
    """The aggregate: the sums of a day."""
    total = wirewait.merge(table["summary"].to_pylist()).to_bytes()
    return pa.table({"day": table["day"][:1], "summary": [total]})


def run(spark: SparkSession, paths: list[str], output: str) -> DataFrame:
    """Analyses the captures into `output`. Gives the sums by day."""
    work = [(chain,) for chain in chains(paths)]
    # Some tasks for each core: large captures do not hold small ones up, what fails is tried again,
    # and files of the output are not too many.
    context = spark.sparkContext
    tasks = min(len(work), 4 * context.defaultParallelism)
    captures = spark.createDataFrame(context.parallelize(work, tasks), "chain array<string>")
    rows = captures.mapInArrow(analyse, from_arrow_schema(schema()))
    write = rows.write.partitionBy("part", "day").mode("overwrite")
    write.option("compression", "zstd").parquet(output)
    summaries = spark.read.parquet(f"{output}/part=summary")
    summaries = summaries.select("day", "summary").withColumn("day", summaries.day.cast("string"))
    return summaries.groupBy("day").applyInArrow(merge, "day string, summary binary")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", required=True, help="folder for Parquet")
    parser.add_argument("captures", nargs="+", help="files, folders or patterns")
    arguments = parser.parse_args()
    paths = []
    for named in arguments.captures:
        inside = os.path.join(named, "**", "*.pcap*") if os.path.isdir(named) else named
        paths += sorted(p for p in glob.glob(inside, recursive=True) if os.path.isfile(p))
    spark = (
        SparkSession.builder.appName("wirewait")
        # A row is a capture: a batch of one lets tasks begin with the next at once.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    by_day = run(spark, paths, arguments.output)
    total = wirewait.merge(row.summary for row in by_day.collect())
    pathlib.Path(f"{arguments.output}.summary.json").write_bytes(total.to_bytes())
    print(f"{len(paths)} files, {datetime.datetime.now(datetime.UTC):%F %T}: {arguments.output}")
    spark.stop()


if __name__ == "__main__":
    main()
