-- Adds the rows of a file that a probe wrote (`wirewait transactions -o rows.parquet`).
-- clickhouse client --param_probe=london --queries-file load.sql, beside rows.parquet in user_files.

INSERT INTO wirewait.transactions
SELECT
    {probe:String}, request_time, protocol, server_address, server_port, client_address, command,
    kind, outcome, ok, status, user, share, path, turnaround_ns, response_time_ns,
    ifNull(request_bytes, 0), ifNull(response_bytes, 0), ifNull(data_bytes, 0), ifNull(copies, 0),
    ifNull(file, ''), ifNull(frame_in_file, 0)
FROM file('rows.parquet', Parquet)
-- A response without a request has no time of one.
WHERE request_time IS NOT NULL;
