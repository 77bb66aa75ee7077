#!/usr/bin/env bash
# Remakes the sums of tshark's field values that tests/columns.rs compares with ours.
# Usage: columns.sh THEME CAPTURES_FOLDER                    writes columns/THEME.tsv
#        ONLY='real/x*' columns.sh THEME CAPTURES_FOLDER     only the rows of these captures
#        columns.sh THEME CAPTURES_FOLDER CAPTURE COLUMN     shows the lines behind one sum
# columns/THEME.columns holds one column per line: tshark's field name, whether the first (f)
# or all (a) of several values in a frame count, and where needed which frames do not: PROTOCOL,
# those that tshark finds it in; +PROTOCOL, those that it does not find it in; -FIELD, those in
# which this bit is set.
# columns/THEME.differ says which values are left out, and why; see tests/columns.rs.
set -euo pipefail
theme=${1:?usage: columns.sh THEME CAPTURES_FOLDER [CAPTURE COLUMN]}
captures=${2:?usage: columns.sh THEME CAPTURES_FOLDER [CAPTURE COLUMN]}
here=$(cd "$(dirname "$0")" && pwd)/columns
columns=$here/$theme.columns
differ=$here/$theme.differ
[ -e "$differ" ] || differ=/dev/null
export TZ=UTC LC_ALL=C

# Each frame by itself: what only a reassembly shows is not in a frame's fields. tshark knows
# SMB by its ports alone; one capture has it on another.
frame_by_frame=(
    -d tcp.port==4445,nbss
    -o tcp.desegment_tcp_streams:FALSE -o tcp.relative_sequence_numbers:FALSE
    -o tcp.analyze_sequence_numbers:FALSE -o tcp.no_subdissector_on_error:FALSE
    -o ip.defragment:FALSE -o ipv6.defragment:FALSE
    -o nbss.desegment_nbss_commands:FALSE -o netbios.defragment:FALSE
    -o smb.trans_reassembly:FALSE -o smb.dcerpc_reassembly:FALSE
    -o ncp.desegment:FALSE -o ncp.defragment_nds:FALSE
)

# The lines "column, frame, values" of a capture, without what is known to differ.
lines() {
    local capture=$1
    # shellcheck disable=SC2046 # One argument for each name.
    { tshark -n -r "$captures/$capture" "${frame_by_frame[@]}" -T fields \
        -E separator=/t -E occurrence=a -E aggregator=, -e frame.number -e frame.protocols \
        $(awk '!/^#/ { print "-e " $1 }' "$columns") \
        $(awk '$3 ~ /^-/ && !seen[$3]++ { print "-e " substr($3, 2) }' "$columns") 2>/dev/null || true; } |
        awk -F'\t' -v capture="$capture" -v columns="$columns" -v differ="$differ" '
        BEGIN {
            while ((getline line <columns) > 0)
                if (line !~ /^#/) {
                    split(line, cell, "\t")
                    m++; name[m] = cell[1]; first[m] = cell[2] == "f"; without[m] = cell[3]
                    if (cell[3] ~ /^-/ && !(cell[3] in nth)) nth[cell[3]] = ++bits
                    if (cell[3] ~ /^-/) bit[m] = nth[cell[3]]
                }
            while ((getline line <differ) > 0) {
                split(line, cell, "\t")
                if (cell[1] == capture) { n++; column[n] = cell[2]; frames[n] = cell[3] }
            }
        }
        function among(list, frame,   k, j, part, ends) {
            if (list == "*") return 1
            k = split(list, part, ",")
            for (j = 1; j <= k; j++) {
                if (split(part[j], ends, "-") == 1) ends[2] = ends[1]
                if (frame + 0 >= ends[1] + 0 && frame + 0 <= ends[2] + 0) return 1
            }
            return 0
        }
        function differs(column_name, frame,   i) {
            for (i = 1; i <= n; i++)
                if ((column[i] == "*" || column[i] == column_name) && among(frames[i], frame))
                    return 1
            return 0
        }
        function left_out(c) {
            if (without[c] ~ /^\+/) return !index($2, substr(without[c], 2))
            if (c in bit) return $(m + 2 + bit[c]) ~ /1|True/
            return without[c] != "" && index($2, without[c])
        }
        {
            for (c = 1; c <= m; c++) {
                value = $(c + 2)
                if (value == "" || left_out(c)) continue
                if (first[c]) sub(/,.*/, "", value)
                if (!differs(name[c], $1)) print name[c] "\t" $1 "\t" value
            }
        }'
}

if [ $# -ge 4 ]; then
    lines "$3" | awk -F'\t' -v column="$4" '$1 == column { print $2 "\t" $3 }'
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work" "$work.tsv"' EXIT
for dir in real lab derived formats; do
    for file in "$captures/$dir"/*; do
        case $file in
        *.json | *.csv | *.txt | *.tsv | *.md) continue ;;
        esac
        capture=$dir/$(basename "$file")
        # shellcheck disable=SC2053 # A pattern.
        if [[ $capture != ${ONLY:-*} ]]; then
            awk -F'\t' -v capture="$capture" '$1 == capture' "$here/$theme.tsv"
            continue
        fi
        rm -f "$work"/*
        lines "$capture" | awk -F'\t' -v work="$work" '{ print $2 "\t" $3 >(work "/" $1) }'
        for column in "$work"/*; do
            [ -e "$column" ] || continue
            printf '%s\t%s\t%s\t%s\n' "$capture" "$(basename "$column")" \
                "$(wc -l <"$column")" "$(cksum <"$column" | cut -d' ' -f1)"
        done
    done
done >"$work.tsv"
mv "$work.tsv" "$here/$theme.tsv"
wc -l "$here/$theme.tsv"
