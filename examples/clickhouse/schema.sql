-- Transactions of any number of probes, and sums of them by the minute. Run once.

CREATE DATABASE IF NOT EXISTS wirewait;

-- What the dashboards and drill-downs need of a row (docs/rows.md describes all columns).
CREATE TABLE IF NOT EXISTS wirewait.transactions
(
    probe              LowCardinality(String),
    request_time       DateTime64(9, 'UTC') CODEC(Delta, ZSTD),
    protocol           LowCardinality(String),
    server_address     LowCardinality(String),
    server_port        Nullable(UInt32),
    client_address     String,
    command            LowCardinality(String),
    kind               LowCardinality(String),
    outcome            LowCardinality(String),
    ok                 Nullable(Bool),
    status             LowCardinality(Nullable(String)),
    user               LowCardinality(Nullable(String)),
    share              LowCardinality(Nullable(String)),
    path               Nullable(String),
    turnaround_ns      Nullable(Int64),
    response_time_ns   Nullable(Int64),
    request_bytes      UInt64,
    response_bytes     UInt64,
    data_bytes         UInt64,
    copies             UInt32,
    file               LowCardinality(String),
    frame_in_file      UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(request_time)
ORDER BY (server_address, kind, request_time);

-- For probes, rows of a month are enough. Not for archives: rows of old captures would go at once.
-- ALTER TABLE wirewait.transactions MODIFY TTL toDateTime(request_time) + INTERVAL 30 DAY;

-- Kept for years: a row for each minute, probe, server and kind of operation. States of quantiles
-- and sums add up over any of these.
CREATE TABLE IF NOT EXISTS wirewait.by_minute
(
    minute         DateTime('UTC'),
    probe          LowCardinality(String),
    server_address LowCardinality(String),
    protocol       LowCardinality(String),
    kind           LowCardinality(String),
    requests       SimpleAggregateFunction(sum, UInt64),
    failed         SimpleAggregateFunction(sum, UInt64),
    unanswered     SimpleAggregateFunction(sum, UInt64),
    repeated       SimpleAggregateFunction(sum, UInt64),
    data_bytes     SimpleAggregateFunction(sum, UInt64),
    turnaround_sum SimpleAggregateFunction(sum, Int64),
    turnaround_max SimpleAggregateFunction(max, Int64),
    turnarounds    AggregateFunction(quantilesDD(0.01, 0.5, 0.95, 0.99), Int64),
    responses      AggregateFunction(quantilesDD(0.01, 0.5, 0.95, 0.99), Int64),
    clients        AggregateFunction(uniqCombined, String)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (server_address, kind, protocol, probe, minute);

CREATE MATERIALIZED VIEW IF NOT EXISTS wirewait.to_by_minute TO wirewait.by_minute AS
SELECT
    toStartOfMinute(request_time)                            AS minute,
    probe, server_address, protocol, kind,
    count()                                                  AS requests,
    countIf(ok = false)                                      AS failed,
    countIf(outcome = 'unanswered')                          AS unanswered,
    sum(greatest(copies, 1) - 1)                             AS repeated,
    sum(t.data_bytes)                                        AS data_bytes,
    sum(ifNull(turnaround_ns, 0))                            AS turnaround_sum,
    max(ifNull(turnaround_ns, 0))                            AS turnaround_max,
    quantilesDDStateIf(0.01, 0.5, 0.95, 0.99)(ifNull(turnaround_ns, 0), turnaround_ns IS NOT NULL)
                                                             AS turnarounds,
    quantilesDDStateIf(0.01, 0.5, 0.95, 0.99)(ifNull(response_time_ns, 0), response_time_ns IS NOT NULL)
                                                             AS responses,
    uniqCombinedState(client_address)                        AS clients
FROM wirewait.transactions AS t
GROUP BY minute, probe, server_address, protocol, kind;
