#!/usr/bin/env bash
# Makes table.tsv anew: the messages over TCP that tshark puts together from several segments,
# in the captures named below (those with one such message in a frame). Columns: capture,
# frame that completes it, bytes, frames that it came in.
# Usage: refresh.sh CAPTURES_FOLDER
set -euo pipefail
captures=$(cd "${1:?usage: refresh.sh CAPTURES_FOLDER}" && pwd)
cd "$(dirname "$0")"
for capture in \
    real/smb1_139+445_lan1.pcap real/smb1_139+445_mgove413.pcap real/smb1_139_printerproblem.pcap \
    real/smb1_2830frames_snort-dce.pcap real/smb1_data-offset.pcap real/smb1_filename.pcap \
    real/smb1_mapi_139.pcap real/smb2_async-read.pcap real/smb2_peter.pcap \
    real/smb2_rawip-linktype_krb5.pcap real/smb2_remcom_8883.pcap \
    lab/04_smb2_202_delay5ms_server_egress_srv.pcap; do
    tshark -r "$captures/$capture" -Y 'tcp.segment && (nbss || smb || smb2)' -T fields \
        -e frame.number -e tcp.reassembled.length -e tcp.segment -E aggregator=, 2>/dev/null |
        awk -F'\t' -v OFS='\t' -v capture="$capture" '$2 != "" && $2 !~ /,/ { print capture, $0 }'
done >table.tsv
wc -l table.tsv
