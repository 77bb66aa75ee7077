#!/usr/bin/env bash
# Remakes the tables of field values that tshark shows for the protocols of IPX, one file per
# capture. A line that begins with # names a protocol and tshark's fields; below it stand, for
# each combination of values that occurs: how many frames have it, the first of them, and the
# values, several of one field with commas between them. tests/fields_ipx.rs compares.
# Usage: refresh.sh CAPTURES_FOLDER
set -euo pipefail
captures=${1:?usage: refresh.sh CAPTURES_FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
made=$here/../../../captures
rm -f "$here"/*.tsv

# protocol, then its fields
protocols=(
    "ipx ipx.checksum ipx.len ipx.hops ipx.packet_type ipx.dst.net ipx.dst.node ipx.dst.socket ipx.src.net ipx.src.node ipx.src.socket"
    "ipxrip ipxrip.packet_type ipxrip.route_vector ipxrip.hops ipxrip.ticks"
    "ipxsap ipxsap.packet_type ipxsap.server.type ipxsap.server.network ipxsap.server.node ipxsap.server.socket ipxsap.server.intermediate_networks"
    "spx spx.ctl.sys spx.ctl.send_ack spx.ctl.attn spx.ctl.eom spx.type spx.src spx.dst spx.seq spx.ack spx.alloc spx.neg_size"
    "nbipx nmpi.packettype nmpi.name_flags nmpi.conn_control nmpi.session.src_conn_id nmpi.session.dest_conn_id nmpi.session.send_seq_number nmpi.session.total_data_length nmpi.session.offset nmpi.session.data_length nmpi.session.recv_seq_number nmpi.session.bytes_received nmpi.ipx_network"
    "nlsp nlsp.type nlsp.header_length nlsp.minor_version nlsp.major_version nlsp.packet_length nlsp.hello.circuit_type nlsp.hello.sending_router_system_id nlsp.hello.holding_timer nlsp.hello.priority nlsp.hello.designated_router_system_id nlsp.hello.designated_router_pseudonode_id nlsp.area_address.network_number nlsp.area_address.mask nlsp.neighbor nlsp.hello_local_mtu.mtu_size nlsp.csnp.source_id_system_id nlsp.csnp.source_id_pseudonode_id nlsp.csnp.lsp_sequence_number nlsp.csnp.remaining_lifetime nlsp.csnp.lsp_checksum"
    "ipxmsg ipxmsg.conn ipxmsg.sigchar"
    "nw_serial nw_serial.serial_number"
    "nmpi nmpi.opcode nmpi.name_type nmpi.messageid nmpi.ipx_network"
)

columns=(-e frame.number)
declare -A column # of each field; fields that two protocols share have one
layout=""         # of each protocol: its name and its columns
for line in "${protocols[@]}"; do
    read -r -a words <<<"$line"
    layout+="${words[0]}"
    for field in "${words[@]:1}"; do
        if [ -z "${column[$field]:-}" ]; then
            columns+=(-e "$field")
            column[$field]=$((${#columns[@]} / 2))
        fi
        layout+=" ${column[$field]}"
    done
    layout+=";"
done

table() { # capture, name of the table
    local rows
    # A file that tshark cannot read to its end still gives what comes before that.
    rows=$({ tshark -r "$1" -Y ipx -T fields -E separator=/t -E occurrence=a \
        -E aggregator=, "${columns[@]}" 2>/dev/null || true; } |
        awk -F'\t' -v layout="$layout" -v names="${columns[*]}" '
            BEGIN { protocols = split(layout, part, ";") - 1; split(names, name, / *-e */) }
            { for (p = 1; p <= protocols; p++) {
                  # Where the first field is not, the protocol is not.
                  count = split(part[p], at, " "); key = ""
                  if ($at[2] == "") continue
                  for (c = 2; c <= count; c++) key = key "\t" $at[c]
                  if (!((p, key) in n)) { order[p, ++kinds[p]] = key; first[p, key] = $1 }
                  n[p, key]++ } }
            END { for (p = 1; p <= protocols; p++) if (kinds[p]) {
                  count = split(part[p], at, " "); head = "#" at[1]
                  for (c = 2; c <= count; c++) head = head "\t" name[at[c] + 1]
                  print head
                  for (i = 1; i <= kinds[p]; i++) {
                      key = order[p, i]; print n[p, key] "\t" first[p, key] key } } }')
    if [ -n "$rows" ]; then
        printf '%s\n' "$rows" >"$here/$2.tsv"
    fi
}

for dir in real formats; do
    for file in "$captures/$dir"/*; do
        case $file in
        *.json | *.csv | *.txt | *.tsv | *.md) continue ;;
        esac
        table "$file" "${dir}__$(basename "$file")"
    done
done
for dir in ipx spx nbipx; do
    for file in "$made/$dir"/*.pcapng; do
        [ -e "$file" ] && table "$file" "made__${dir}__$(basename "$file")"
    done
done
wc -l "$here"/*.tsv | tail -n 1
