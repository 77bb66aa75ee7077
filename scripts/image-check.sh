#!/usr/bin/env bash
# Runs what image.sh made, in containers of buildah (isolation chroot) and a network namespace of their
# own: a report as the user of the image without any capability, and the image's own command, which
# captures what tcpreplay sends and is scraped. Wants root and these tools; exits with 77 without them.
# Usage: image-check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in buildah ip tcpreplay curl pgrep setpriv; do
    command -v "$tool" >/dev/null || {
        echo "SKIPPED: the image is not tried: there is no $tool" >&2
        exit 77
    }
done
[ "$(id -u)" -eq 0 ] || {
    echo "SKIPPED: the image is not tried: only root can make the network for it" >&2
    exit 77
}
archive=$(echo target/dist/wirewait-*.image.tar)
[ -f "$archive" ] || {
    echo "image-check.sh: there is no image; make it with make image" >&2
    exit 1
}
work=$(mktemp -d "${TMPDIR:-/tmp}/image-check.XXXXXX")
network=wirewait-image-$$
clean() {
    # What runs in the network ends with it; nothing else does.
    local left
    left=$(ip netns pids "$network" 2>/dev/null || true)
    # shellcheck disable=SC2086 # several numbers
    [ -z "$left" ] || kill $left 2>/dev/null || true
    wait
    ip netns del "$network" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean EXIT
fail() {
    echo "image-check.sh: $*" >&2
    [ ! -s "$work/log" ] || tail -n 20 "$work/log" >&2
    exit 1
}

ip netns add "$network"
# A cable: what is sent at one end is seen at both.
ip -n "$network" link add probe type veth peer name sender
for interface in lo probe sender; do
    ip -n "$network" link set "$interface" up
done
builder=(buildah --storage-driver vfs --root "$work/root" --runroot "$work/run")
container=$("${builder[@]}" from "docker-archive:$archive" 2>"$work/log")
config() { "${builder[@]}" inspect --format "$1" "$container"; }
# As a runtime starts it: entry point, command, user and folder of the image.
[ "$(config '{{.OCIv1.Config.User}}')" = 65534:65534 ] || fail "the image has another user"
entry=$(config '{{range .OCIv1.Config.Entrypoint}}{{.}}{{end}}')
command=$(config '{{range .OCIv1.Config.Cmd}}{{.}} {{end}}')
command=${command% }
# $1: options of buildah; the rest: arguments of the entry point.
before=()
runs() {
    local options=$1
    shift
    # shellcheck disable=SC2086 # several words
    "${before[@]}" ip netns exec "$network" "${builder[@]}" run --isolation chroot $options \
        --volume "$PWD/captures:/data:ro" "$container" -- $entry "$@"
}

echo "== files, without any capability"
out=$(runs --cap-drop=all report --short demo.pcapng)
[[ $out == Server:\ *10.0.0.8* ]] || fail "an unexpected report: $out"
runs --cap-drop=all counters --format csv demo.pcapng >"$work/counters" ||
    fail "counters say nothing: the image has no folder for temporary files"
! runs --cap-drop=all live -i probe --duration 200ms >"$work/log" 2>&1 || fail "it captures without the right to"
grep -q 'CAP_NET_RAW\|cap_net_raw' "$work/log" || fail "an unexpected error without the right to capture"

echo "== where permissions of files count for nothing (no_new_privs)"
live=(live -i probe --duration 200ms --format json)
before=(setpriv --no-new-privs)
! runs --cap-add=CAP_NET_RAW "${live[@]}" >"$work/log" 2>&1 || fail "it captures where no_new_privs forbids it"
grep -q 'CAP_NET_RAW\|cap_net_raw' "$work/log" || fail "an unexpected error with no_new_privs"
out=$(runs "--cap-add=CAP_NET_RAW --user 0:0" "${live[@]}") || fail "user 0 captures nothing there"
[[ $out == "{"* ]] || fail "an unexpected report: $out"
before=()

echo "== the command of the image: $entry $command"
# shellcheck disable=SC2086 # several words
runs --cap-add=CAP_NET_RAW $command >"$work/report" 2>"$work/log" &
scrape() { ip netns exec "$network" curl -sf http://127.0.0.1:9464/metrics; }
for _ in $(seq 100); do
    ! scrape >"$work/metrics" || break
    sleep 0.1
done
[ -s "$work/metrics" ] || fail "nobody answers at 127.0.0.1:9464"
ip netns exec "$network" tcpreplay --quiet --topspeed --intf1 sender captures/demo.pcapng >/dev/null 2>&1 ||
    fail "tcpreplay sends nothing"
# The counts of frames are at most a second old.
sleep 2
scrape >"$work/metrics"
for name in wirewait_requests_total wirewait_segment_frames_total wirewait_server_turnaround_seconds_count; do
    awk -v name="$name" '$1 ~ "^" name "[{]" {sum += $NF} END {exit sum < 100}' "$work/metrics" ||
        fail "$name is below 100"
done
process=$(pgrep --full --exact "$entry $command" | while read -r pid; do
    ! ip netns pids "$network" | grep -qx "$pid" || echo "$pid"
done)
[ -n "$process" ] || fail "its process is not found"
grep -q $'^Uid:\t65534\t65534\t65534\t65534' "/proc/$process/status" || fail "it runs as another user"
grep -q '^CapEff:.0*$' "/proc/$process/status" || fail "the thread that reads frames has capabilities"
kill -TERM "$process"
wait
grep -q '10\.0\.0\.8' "$work/report" || fail "no report at its end"
echo "the image reports, captures and is scraped"
