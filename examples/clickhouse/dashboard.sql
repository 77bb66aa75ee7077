-- The queries of a dashboard. `from`, `to` and `step` (seconds) are what Grafana's ClickHouse source
-- puts in place of $__fromTime, $__toTime and $__interval_s.

-- name: p99 of reads by server and hour
SELECT
    server_address,
    toStartOfHour(minute)                            AS hour,
    sum(requests)                                    AS requests,
    quantilesDDMerge(0.01, 0.5, 0.95, 0.99)(turnarounds)[3] AS p99_ns
FROM wirewait.by_minute
WHERE kind = 'read' AND minute BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
GROUP BY server_address, hour
ORDER BY server_address, hour;

-- name: turnaround and response time over time
SELECT
    toStartOfInterval(minute, toIntervalSecond({step:UInt32})) AS time,
    quantilesDDMerge(0.01, 0.5, 0.95, 0.99)(turnarounds)       AS turnaround_p50_p95_p99,
    quantilesDDMerge(0.01, 0.5, 0.95, 0.99)(responses)         AS response_p50_p95_p99
FROM wirewait.by_minute
WHERE minute BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
GROUP BY time
ORDER BY time;

-- name: servers
SELECT
    server_address,
    groupUniqArray(probe)                            AS probes,
    sum(requests)                                    AS requests,
    sum(failed)                                      AS failed,
    sum(unanswered)                                  AS unanswered,
    sum(repeated)                                    AS repeated,
    sum(data_bytes)                                  AS data_bytes,
    sum(turnaround_sum)                              AS waited_ns,
    max(turnaround_max)                              AS longest_ns,
    uniqCombinedMerge(clients)                       AS clients
FROM wirewait.by_minute
WHERE minute BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
GROUP BY server_address
ORDER BY waited_ns DESC, server_address;

-- name: slowest requests
SELECT request_time, probe, server_address, client_address, protocol, command, share, path,
       turnaround_ns, file, frame_in_file
FROM wirewait.transactions
WHERE turnaround_ns IS NOT NULL
  AND request_time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
ORDER BY turnaround_ns DESC, request_time
LIMIT 20;
