#!/usr/bin/env bash
# Remakes names.txt: which files tshark says each SMB request of the shared captures is about.
#   capture  protocol  frame  number of each name
# Names of real captures are not ours to print: each stands as a number (tests/names.rs says
# which). Run this after adding captures. Usage: names.sh CAPTURES_FOLDER
set -euo pipefail
captures=${1:?usage: names.sh CAPTURES_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
list=(lab/{01,02}_*.pcap lab/04*_cli.pcap lab/05*.pcapng real/smb1_{139+445_lan1,filename,data-offset}.pcap
    real/nbf_smb_dos-win98_netbeui-ipx-nbt.pcapng real/nbf+nbipx+nmpi+smb-direct-ipx_wfw311.pcapng
    real/smb2_{100_small_files,async,delete-compound,null-linktype_loopback,peter,remcom_8883}.pcap
    real/smb2_{dac_sample,netshareenum_139}.pcap.gz)
export LC_ALL=C
cd "$captures"
for pattern in "${list[@]}"; do
    for file in $pattern; do
        for protocol in smb smb2; do
            name=smb.file
            [ "$protocol" = smb ] || name=smb2.filename
            tshark -r "$file" -Y "$protocol.flags.response == 0" -T fields -E separator=/t \
                -E aggregator=$'\x1f' -e frame.number -e "$name" 2>/dev/null |
                awk -F'\t' -v file="$file" -v protocol="$protocol" '
                    BEGIN { for (i = 0; i < 256; i++) ord[sprintf("%c", i)] = i }
                    $2 != "" {
                        n = split($2, names, "\037"); line = ""
                        for (k = 1; k <= n; k++) {
                            h = 7
                            for (i = 1; i <= length(names[k]); i++)
                                h = (h * 31 + ord[substr(names[k], i, 1)]) % 2147483647
                            if (names[k] != "") line = line "\t" h
                        }
                        if (line != "") print file "\t" protocol "\t" $1 line
                    }'
        done
    done
done >"$here/names.txt"
wc -l "$here/names.txt"
