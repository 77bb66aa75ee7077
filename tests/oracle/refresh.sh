#!/usr/bin/env bash
# Remakes the tables of pairs that tshark finds in the shared captures, one file per capture:
#   protocol  completing frame of the request  completing frame of the response  nanoseconds
# from tshark's smb.time, smb2.time and ncp.time. The tables are committed, so that the
# comparison (tests/oracle.rs) needs no tshark; run this after adding captures. Also remakes
# the tables of NCP's fields (ncp/refresh.py).
# Usage: refresh.sh CAPTURES_FOLDER
set -euo pipefail
captures=${1:?usage: refresh.sh CAPTURES_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
tshark --version 2>/dev/null | head -n 1 >"$here/TSHARK_VERSION"
rm -f "$here"/*.tsv
export TZ=UTC
for dir in real lab derived formats; do
    for file in "$captures/$dir"/*; do
        case $file in
        *.json | *.csv | *.txt | *.tsv | *.md) continue ;;
        esac
        # A file that tshark cannot read to its end still gives the pairs before that.
        pairs=$(
            { tshark -r "$file" -Y 'smb.time or smb2.time or ncp.time' -T fields \
                -E separator='|' -e frame.number \
                -e smb.response_to -e smb.time \
                -e smb2.response_to -e smb2.time \
                -e ncp.req_frame_num -e ncp.time 2>/dev/null || true; } |
                awk -F'|' '
                    function rows(name, requests, times,   n, m, r, t, i, parts) {
                        n = split(requests, r, ","); m = split(times, t, ",")
                        if (n != m) { print "unequal lists in frame " $1 > "/dev/stderr"; return }
                        for (i = 1; i <= n; i++) {
                            split(t[i], parts, ".")
                            sub(/^0+/, "", parts[2])
                            printf "%s\t%s\t%s\t%.0f\n", name, r[i], $1, parts[1] * 1000000000 + parts[2]
                        }
                    }
                    { rows("smb1", $2, $3); rows("smb2", $4, $5); rows("ncp", $6, $7) }'
        )
        if [ -n "$pairs" ]; then
            printf '%s\n' "$pairs" >"$here/${dir}__$(basename "$file").tsv"
        fi
    done
done
"$here/ncp/refresh.py" "$captures"
wc -l "$here"/*.tsv | tail -n 1
"$here/reassembled/refresh.sh" "$captures"
