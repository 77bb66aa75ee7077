#!/usr/bin/env bash
# Remakes protocols.list: in how many frames of each shared capture tshark finds each protocol
# (its protocol hierarchy, `-z io,phs`), for tests/counts.rs.
# tshark knows SMB by its ports alone; one capture has it on another.
# Usage: protocols.sh CAPTURES_FOLDER
set -euo pipefail
captures=${1:?usage: protocols.sh CAPTURES_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
export TZ=UTC LC_ALL=C
for dir in real lab derived formats; do
    for file in "$captures/$dir"/*; do
        case $file in
        *.json | *.csv | *.txt | *.tsv | *.md) continue ;;
        esac
        # A protocol inside itself (several messages in a frame) is one frame; beside itself,
        # under different carriers, it is different frames.
        { tshark -n -d tcp.port==4445,nbss -r "$file" -q -z io,phs 2>/dev/null || true; } |
            awk -v capture="$dir/$(basename "$file")" '
                match($0, /frames:[0-9]+/) {
                    frames = substr($0, RSTART + 7, RLENGTH - 7)
                    match($0, /^ */); depth = RLENGTH / 2 + 1
                    name = $1; path[depth] = name; inside = 0
                    for (i = 1; i < depth; i++) if (path[i] == name) inside = 1
                    if (!inside) sum[name] += frames
                }
                END { for (name in sum) print capture "\t" name "\t" sum[name] }' | sort
    done
done >"$here/protocols.list"
wc -l "$here/protocols.list"
