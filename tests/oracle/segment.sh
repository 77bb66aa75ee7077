#!/usr/bin/env bash
# Remakes segment.list: what tshark counts of each capture that is Ethernet alone, for
# tests/segment.rs. Usage: segment.sh CAPTURES_FOLDER
# Columns: capture; frames and bytes (tshark -z io,stat,0); frames to everyone, frames to groups;
# bytes with padding to 60 and 24 beside (check sequence, preamble, gap): of all frames, of the
# fullest second and of the fullest 10 ms, which begin at whole ones since 1970; frames by
# size with check sequence, up to 64, 127, 255, 511, 1023, 1518, and beyond.
set -euo pipefail
captures=${1:?usage: segment.sh CAPTURES_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
export TZ=UTC LC_ALL=C

sums() {
    awk -F '\t' '
    $4 != 1 || $5 + 0 != 0 { exit 1 }
    {
        split($1, t, "."); padded = $2 < 60 ? 60 : $2; wire = padded + 24
        to_all += $3 == "ff:ff:ff:ff:ff:ff"
        to_group += $3 != "ff:ff:ff:ff:ff:ff" && substr($3, 2, 1) ~ /[13579bdf]/
        all += wire; second[t[1]] += wire; tenth[t[1] "." substr(t[2], 1, 2)] += wire
        n = padded + 4
        size[n <= 64 ? 0 : n <= 127 ? 1 : n <= 255 ? 2 : n <= 511 ? 3 : n <= 1023 ? 4 : n <= 1518 ? 5 : 6]++
    }
    END {
        for (i in second) if (second[i] > s) s = second[i]
        for (i in tenth) if (tenth[i] > c) c = tenth[i]
        printf "%d\t%d\t%d\t%d\t%d", to_all, to_group, all, s, c
        for (i = 0; i < 7; i++) printf "\t%d", size[i]
        print ""
    }'
}

{
    printf '# %s\n' "$(tshark --version | head -n1)"
    cd "$captures"
    for capture in real/*.pcap real/*.pcapng real/*.gz lab/*.pcap lab/*.pcapng; do
        io=$(tshark -r "$capture" -q -z io,stat,0 2>/dev/null || true)
        io=$(awk -F '|' '$2 ~ /<>/ { gsub(/ /, ""); print $3 "\t" $4 }' <<<"$io")
        fields=$(tshark -n -r "$capture" -T fields -e frame.time_epoch -e frame.len -e eth.dst \
            -e frame.encap_type -e frame.interface_id -E occurrence=f 2>/dev/null || true)
        [ -n "$fields" ] || continue
        # A file that ends too early has no statistics; it is counted as far as it goes.
        [ -n "$io" ] || io=$(awk -F '\t' '{ n += $2 } END { print NR "\t" n }' <<<"$fields")
        counted=$(sums <<<"$fields") || continue
        printf '%s\t%s\t%s\n' "$capture" "$io" "$counted"
    done
} >"$here/segment.list"
