#!/usr/bin/env bash
# Live capture against the real thing: two network namespaces, a Samba server and clients, and
# captures of old protocols replayed onto the wire, watched by wirewait while dumpcap saves the
# same frames. What wirewait says of the wire has to be what it says of dumpcap's file.
#
#   live-lab.sh WIREWAIT [STEP...]     steps: samba replay several gone rights input (all of them)
#
# Needs root (namespaces), ip, dumpcap, reordercap, tcpreplay, smbd, smbclient, python3, setpriv,
# taskset.
# Exit codes: 0 all well, 1 a check failed, 77 something is missing and nothing was checked.
set -uo pipefail
# Not what somebody has configured here.
export XDG_CONFIG_HOME=/nonexistent

[ $# -ge 1 ] || { sed -n '2,9p' "$0"; exit 2; }
wirewait=$(realpath "$1")
shift
steps=${*:-samba replay several gone rights input}
root=$(cd "$(dirname "$0")/.." && pwd)

missing=
for tool in ip dumpcap reordercap tcpreplay smbd smbclient python3 setpriv setsid taskset; do
    command -v $tool >/dev/null || missing="$missing $tool"
done
[ "$(id -u)" -eq 0 ] || missing="$missing root"
[ -z "$missing" ] && { ip netns add "wwtest$$" && ip netns del "wwtest$$"; } 2>/dev/null ||
    missing="$missing namespaces"
[ -z "$missing" ] || { echo "SKIPPED: live-lab: there is no$missing here"; exit 77; }

id=ww$$
server=$id-s client=$id-c
work=$(mktemp -d)
chmod 755 "$work"
failed=0

clean() {
    # Those that still run; numbers of others may be somebody else's by now.
    kill $(jobs -pr) 2>/dev/null
    ip netns pids $server 2>/dev/null | xargs -r kill 2>/dev/null
    ip netns del $server 2>/dev/null
    ip netns del $client 2>/dev/null
    [ -n "${KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
}
trap clean EXIT

# In the background, `ip netns exec` has to stand there itself: a function would be a shell
# around it, and would get the signals.
on_server() { ip netns exec $server "$@"; }
on_client() { ip netns exec $client "$@"; }
ok() { echo "ok: $*"; }
bad() { echo "FAILED: $*"; failed=1; }
check() { # check "what" command...
    local what=$1
    shift
    if "$@"; then ok "$what"; else bad "$what"; fi
}
says() { # says FILE TEXT: the file has the text
    grep -q -- "$2" "$1" || { echo "--- no '$2' in:"; cat "$1"; return 1; }
}
until_says() { # until_says FILE TEXT: waits for it, ten seconds
    for _ in $(seq 100); do
        grep -q -- "$2" "$1" 2>/dev/null && return
        sleep 0.1
    done
    echo "--- no '$2' in:"
    cat "$1"
    return 1
}

# Two cables between a server and a client, and no chatter on them.
pair() { # pair NUMBER
    ip link add s$1 netns $server type veth peer name c$1 netns $client
    on_server ip addr add 10.99.$1.1/24 dev s$1
    on_client ip addr add 10.99.$1.2/24 dev c$1
    # Frames as they would be on a cable, where there is a tool for it.
    if command -v ethtool >/dev/null; then
        on_server ethtool -K s$1 tso off gso off gro off >/dev/null 2>&1
        on_client ethtool -K c$1 tso off gso off gro off >/dev/null 2>&1
    fi
    on_server ip link set s$1 up
    on_client ip link set c$1 up
}
for space in $server $client; do
    ip netns add $space
    ip netns exec $space sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
    ip netns exec $space ip link set lo up
done
pair 0
pair 1

# While a socket asks for time stamps, the kernel stamps a frame once, for all who capture, and
# both programs must agree to the nanosecond. Frames of this machine's own TCP are stamped for each
# apart all the same; there a few microseconds do not count. All traffic is made on one processor,
# so that frames come in one order.
pinned="taskset -c 0"
python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 35, 1)
time.sleep(3600)' &

# Starts both on the server's interfaces; `end` ends them and compares what they say.
begin() { # begin NAME how INTERFACE...: exact, or close where each socket stamps for itself
    name=$1$trial
    how=$2
    shift 2
    local on=() on_wirewait=() interface
    for interface in "$@"; do
        on+=(-i "$interface")
        on_wirewait+=(-i "$interface")
    done
    ip netns exec $server dumpcap -q "${on[@]}" -B 64 -w "$work/$name.raw" >/dev/null 2>"$work/$name.dumpcap" &
    dumpcap=$!
    ip netns exec $server "$wirewait" live "${on_wirewait[@]}" --format ndjson -o "$work/$name.live" 2>"$work/$name.err" &
    rows=$!
    ip netns exec $server "$wirewait" live "${on_wirewait[@]}" --format json -o "$work/$name.json" 2>"$work/$name.err2" &
    report=$!
    until_says "$work/$name.err" "capturing on"
    until_says "$work/$name.err2" "capturing on"
    until_says "$work/$name.dumpcap" "File:"
    # A frame is given to the sockets one after the other, to the one that was opened last first. So
    # whatever comes between the stamps of wirewait and of the first dumpcap comes between those of
    # the two dumpcaps, too.
    second=
    if [ $how = close ]; then
        ip netns exec $server dumpcap -q "${on[@]}" -B 64 -w "$work/$name.raw2" >/dev/null 2>"$work/$name.dumpcap2" &
        second=$!
        until_says "$work/$name.dumpcap2" "File:"
    fi
    sleep 0.5
}
end() {
    sleep 1.5
    # Time that passes behind the last frame counts live, and a file knows nothing of it: so
    # the last frame comes just before the end.
    on_client python3 -c '
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"the end", ("10.99.0.1", 9))'
    sleep 0.3
    # A shell lets what runs in the background ignore SIGINT.
    kill -TERM $dumpcap $second
    kill -TERM $rows $report
    wait $dumpcap $second
    wait $rows || bad "$name: wirewait ended with $?"
    wait $report || bad "$name: wirewait ended with $?"
    # dumpcap writes frames of several interfaces as they come.
    reordercap "$work/$name.raw" "$work/$name.pcapng" >/dev/null
    chmod 644 "$work/$name.pcapng"
    "$wirewait" transactions --format ndjson "$work/$name.pcapng" >"$work/$name.rows"
    if [ -n "$second" ]; then
        reordercap "$work/$name.raw2" "$work/$name-2.pcapng" >/dev/null
        chmod 644 "$work/$name-2.pcapng"
        "$wirewait" transactions --format ndjson "$work/$name-2.pcapng" >"$work/$name.rows2"
    fi
    "$wirewait" report --format json "$work/$name.pcapng" >"$work/$name.report"
    judge_lost && return $again
    compare "$@"
}
# A step ends with it when dumpcap lost frames, on a busy machine, and cannot be a judge.
again=75
judge_lost() { # whether dumpcap lost frames that wirewait, both times, has: its counter or its file says so
    python3 - "$work/$name.json" "$work/$name.report" "$work/$name.dumpcap" "$work/$name.err" <<'PY'
import json, re, sys
live, saved = (json.load(open(path))["capture"] for path in sys.argv[1:3])
counters = re.findall(r"received/dropped on interface '[^']*': (\d+)/(\d+)", open(sys.argv[3]).read())
dropped = sum(int(dropped) for _, dropped in counters)
# The program that writes rows says at its end how many frames it had, and lost.
rows = (open(sys.argv[4]).read().splitlines() or [""])[-1].replace(",", "")
frames = re.findall(r"(\d+) frames in", rows)
has = [live["frames"]] + [int(count) for count in frames]
if dropped == 0 and saved["frames"] >= max(has):
    sys.exit(1)
# Whatever wirewait lost itself is judged.
own = [str(live["dropped"])] + re.findall(r"(\d+|an unknown number) dropped", rows)
if not frames or any(count != "0" for count in own) or min(has) < saved["frames"] + dropped:
    sys.exit(1)
print(f"   dumpcap saved {saved['frames']} of {max(has)} frames, its counter says {dropped} dropped")
PY
}
compare() { # compare FEWEST: rows and report are the same, and there are that many rows
    local count
    count=$(wc -l <"$work/$name.rows")
    if [ "$count" -ge "$1" ]; then
        ok "$name: $count transactions"
    else
        bad "$name: $count transactions, fewer than $1"
    fi
    python3 - "$work/$name" "$how" <<'PY'
import json, sys
from datetime import datetime
name, how = sys.argv[1:]
problems = []

# Rows, by frames; times to the nanosecond, or to 100 microseconds where each program's socket stamps
# a frame for itself: but for one time in fifty, or, where a processor is taken away between two stamps
# more often than that, for as many times as two dumpcaps differ in.
def rows(path):
    found = {}
    for line in open(path):
        row = json.loads(line)
        # A live row is in no file.
        for field in ("file", "frame_in_file"):
            row.pop(field, None)
        key = [row[key] for key in ("protocol", "client", "command")]
        if how == "exact":
            key += [row["request_first_frame"], row["response_first_frame"]]
        # One frame may bring several of a kind; they close in their order.
        twins = [json.dumps(key + [n]) for n in range(100)]
        found[next(key for key in twins if key not in found)] = row
    return found
def nanoseconds(value):
    if type(value) is str and value.endswith("Z") and value[10] == "T":
        return int(datetime.fromisoformat(value[:19]).timestamp()) * 10**9 + int(value[20:-1])
    return value
def same(a, b, key):
    if a == b:
        return True
    if how == "exact":
        return False
    if key.endswith("_frame") and type(a) is int and type(b) is int:
        # Frames of two interfaces whose stamps are that close may change places.
        return abs(a - b) <= 2
    if key.endswith("_ns") or key.endswith("_time"):
        a, b = nanoseconds(a), nanoseconds(b)
        pairs = list(zip(a, b)) if type(a) is list and type(b) is list else [(a, b)]
        if any(type(x) is not int or type(y) is not int for x, y in pairs):
            return False
        apart.extend(abs(x - y) for x, y in pairs)
        return abs(max(x - y for x, y in pairs)) < 1_000_000_000
    return False
apart = []
saved, live = rows(name + ".rows"), rows(name + ".live")
lines = [sum(1 for _ in open(name + end)) for end in (".rows", ".live")]
if lines[0] != lines[1]:
    problems.append(f"{lines[0]} transactions saved, {lines[1]} live")
for key in saved.keys() ^ live.keys():
    problems.append(f"only {'saved' if key in saved else 'live'}: {key}")
for key in saved.keys() & live.keys():
    for field in saved[key].keys() | live[key].keys():
        if not same(saved[key].get(field), live[key].get(field), field):
            problems.append(f"{key} {field}: {saved[key].get(field)} saved, {live[key].get(field)} live")
def late():
    return [difference for difference in apart if difference >= 100_000]
ours, of = late(), len(apart)
if len(ours) * 50 > of:
    apart.clear()
    second = rows(name + ".rows2")
    for key in saved.keys() & second.keys():
        for field in saved[key].keys() | second[key].keys():
            same(saved[key].get(field), second[key].get(field), field)
    said = f"{len(ours)} of {of} times that differ do so by 100 us and more, the most {max(ours)} ns; {len(late())} of two dumpcaps'"
    if len(ours) > len(late()):
        problems.append(said)
    else:
        print("  ", said)
print(("FAILED" if problems else "ok") + f": the wire and dumpcap's file give the same {len(saved)} transactions, " +
      ("to the nanosecond" if how == "exact" else "times within 100 us"))
for problem in problems[:10]:
    print("  ", problem)
sys.exit(bool(problems))
PY
    [ $? = 0 ] || failed=1
    python3 - "$work/$name.json" "$work/$name.report" "$how" <<'PY' && ok "$name: and the same report" || bad "$name: reports differ"
import json, sys
live, saved = (json.load(open(path)) for path in sys.argv[1:3])
exact = sys.argv[3] == "exact"
problems = []
if live["capture"]["dropped"] != 0:
    problems.append(f"dropped: {live['capture']['dropped']}")
# What they were captured from is not the same.
for one in live, saved:
    del one["capture"]["files"], one["capture"]["dropped"], one["capture"]["not_saved"]
    one["capture"].pop("interfaces", None)
    for interface in one["segment"]["interfaces"]:
        del interface["dropped"]
    if not exact:
        # Where times differ a little, so does what is made of them.
        times = lambda key: key.endswith(("_ns", "_time", "_per_second")) or key in ("first", "last")
        def counts(value):
            if type(value) is dict:
                return {key: counts(inner) for key, inner in value.items()
                        if not times(key) and key not in ("turnaround", "response_time", "request_transfer", "response_transfer")}
            return [counts(inner) for inner in value] if type(value) is list else value
        kept = {key: counts(one[key]) for key in ("capture", "protocols", "servers", "excluded")}
        kept["servers"].sort(key=lambda row: json.dumps([row["server"], row["protocol"], row["command"]]))
        one.clear()
        one.update(kept)
def walk(a, b, path):
    if type(a) is dict and type(b) is dict and a.keys() == b.keys():
        for key in a:
            walk(a[key], b[key], f"{path}.{key}")
    elif type(a) is list and type(b) is list and len(a) == len(b):
        for n, (x, y) in enumerate(zip(a, b)):
            walk(x, y, f"{path}[{n}]")
    elif a != b:
        problems.append(f"{path}: {str(a)[:200]} live, {str(b)[:200]} saved")
walk(live, saved, "")
print(f"   {live['capture']['frames']} frames, quality {live['capture']['quality']['grade']}")
for problem in problems[:20]:
    print("  ", problem)
sys.exit(bool(problems))
PY
    tail -n 1 "$work/$name.err" | sed 's/^/   /'
}

# --- a real server ------------------------------------------------------------------------
smb_up() {
    [ -n "${smbd:-}" ] && return
    mkdir -p "$work/share" "$work/samba"
    chmod 777 "$work/share"
    cat >"$work/smb.conf" <<CONF
[global]
  workgroup = LAB
  server min protocol = NT1
  smb ports = 445
  disable netbios = yes
  map to guest = bad user
  guest account = nobody
  load printers = no
  printing = bsd
  bind interfaces only = no
  log file = $work/samba/log
  lock directory = $work/samba
  state directory = $work/samba
  cache directory = $work/samba
  pid directory = $work/samba
  private dir = $work/samba
  ncalrpc dir = $work/samba/ncalrpc
[lab]
  path = $work/share
  guest ok = yes
  read only = no
  force user = root
CONF
    # In a session of its own: when it ends, it ends all of its process group.
    ip netns exec $server $pinned setsid smbd --foreground --no-process-group -s "$work/smb.conf" >"$work/smbd.out" 2>&1 </dev/null &
    smbd=$!
    for _ in $(seq 100); do
        on_client smbclient -N -s "$work/smb.conf" //10.99.0.1/lab -c 'ls' >/dev/null 2>&1 && return
        sleep 0.2
    done
    bad "smbd does not answer"
    cat "$work/smbd.out"
}
smb() { # smb NETWORK DIALECT NUMBER: a client at work
    head -c 700000 /dev/urandom >"$work/in$1$3"
    on_client $pinned smbclient -N -s "$work/smb.conf" -m "$2" --option="client min protocol=NT1" "//10.99.$1.1/lab" -c "
        mkdir d$1$3; cd d$1$3; put $work/in$1$3 a; ls; get a $work/out$1$3; allinfo a
        get nothing-there; rename a b; del b; cd ..; rmdir d$1$3" >"$work/smb$1$3.out" 2>&1
    cmp -s "$work/in$1$3" "$work/out$1$3" || bad "client $3 over $2 did not get back what it wrote"
}

step_samba() {
    smb_up
    begin samba close s0
    local clients= n=0
    for dialect in NT1 SMB2 SMB3 NT1 SMB3; do
        n=$((n + 1))
        smb 0 $dialect $n &
        clients="$clients $!"
    done
    wait $clients
    end 200
}

# --- old protocols, from files onto the wire --------------------------------------------------
replay() { # replay INTERFACE FILE...
    local interface=$1
    shift
    on_client $pinned tcpreplay -q --pps=2000 -i "$interface" "$@" >>"$work/tcpreplay.out" 2>&1
}
old=()
for file in captures/nbf/example captures/nbf/write captures/nbf/read-raw captures/nbf/retransmitted \
    captures/ncp/session captures/ncp/burst captures/ncp/retransmitted captures/ipx/netware-messages \
    captures/nbipx/session captures/last/session captures/last/lost-answer-read \
    captures/smb1/sequence-over-ipx captures/spx/stop-and-wait; do
    old+=("$root/$file.pcapng")
done

step_replay() {
    begin replay exact s0
    replay c0 "${old[@]}"
    end 40
}

step_several() {
    smb_up
    begin several close s0 s1
    smb 0 SMB3 7 &
    local one=$!
    smb 1 NT1 8 &
    local two=$!
    replay c1 "${old[@]}"
    wait $one $two
    end 80
}

# --- an interface that goes away ------------------------------------------------------------
step_gone() {
    ip netns exec $server "$wirewait" live -i s0,s1 --format json -o "$work/gone.json" 2>"$work/gone.err" &
    local pid=$!
    until_says "$work/gone.err" "capturing on"
    replay c1 "${old[0]}"
    on_server ip link set s1 down
    check "an interface that goes down is told" until_says "$work/gone.err" "s1: the interface went down"
    on_server ip link set s1 up
    check "and that it is back" until_says "$work/gone.err" "s1: is back"
    replay c1 "${old[0]}"
    sleep 1.5
    on_server ip link del s1
    check "an interface that is deleted is told" until_says "$work/gone.err" "s1: the interface is gone"
    replay c0 "${old[0]}"
    pair 1
    sleep 0.3
    check "and that another of its name is there" \
        sh -c "sleep 2; [ \$(grep -c 's1: is back' '$work/gone.err') = 2 ] || { cat '$work/gone.err'; false; }"
    replay c1 "${old[0]}"
    sleep 1
    kill -TERM $pid
    wait $pid || bad "wirewait ended with $?"
    python3 - "$work/gone.json" "$("$wirewait" report --format json "${old[0]}" | python3 -c 'import json,sys; print(json.load(sys.stdin)["capture"]["frames"])')" <<'PY' &&
import json, sys
frames = json.load(open(sys.argv[1]))["capture"]["frames"]
wanted = 4 * int(sys.argv[2])
print(f"   {frames} frames, {wanted} sent")
sys.exit(frames != wanted)
PY
        ok "no frame is missing of what was sent meanwhile" || bad "frames are missing"
}

# --- rights ----------------------------------------------------------------------------------
status() { grep -E "^(Uid|Cap...|NoNewPrivs)" /proc/$1/task/$2/status | tr '\n\t' '  '; }
step_rights() {
    cp "$wirewait" "$work/program"
    chmod 755 "$work/program"
    local nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
    on_server $nobody "$work/program" live -i s0 --once >/dev/null 2>"$work/rights.err"
    check "without rights it ends with 1" [ $? = 1 ]
    check "and the line that gives them is shown" \
        says "$work/rights.err" "sudo setcap cap_net_raw,cap_net_admin=eip $work/program"
    check "and the other way" says "$work/rights.err" "dumpcap -i s0 -w - | wirewait live -"

    # Under sudo: the user who called, no capability but where frames are copied.
    export SUDO_UID=65534 SUDO_GID=65534
    ip netns exec $server "$wirewait" live -i s0 --format json -o /tmp/ww-rights$$.json 2>"$work/sudo.err" &
    local pid=$!
    unset SUDO_UID SUDO_GID
    until_says "$work/sudo.err" "capturing on"
    sleep 0.3
    local task
    for task in $(ls /proc/$pid/task); do
        local kept=0000000000000000
        case $(cat /proc/$pid/task/$task/comm) in capture-*) kept=0000000000002000 ;; esac
        local is
        is=$(status $pid $task)
        case $is in
        *"Uid: 65534 65534 65534 65534"*"CapInh: 0000000000000000 CapPrm: $kept CapEff: $kept CapBnd: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1"*)
            ok "thread $(cat /proc/$pid/task/$task/comm) has only what it needs" ;;
        *) bad "thread $(cat /proc/$pid/task/$task/comm): $is" ;;
        esac
    done
    # An interface that comes back needs a right again.
    on_server ip link del s0
    until_says "$work/sudo.err" "s0: the interface is gone" || bad "not told"
    pair 0
    check "without being root, an interface that comes back is opened again" until_says "$work/sudo.err" "s0: is back"
    kill -TERM $pid
    wait $pid || bad "wirewait ended with $?"
    check "the report belongs to who called sudo" [ "$(stat -c %u /tmp/ww-rights$$.json)" = 65534 ]
    rm -f /tmp/ww-rights$$.json

    if command -v setcap >/dev/null && setcap cap_net_raw,cap_net_admin=eip "$work/program" 2>/dev/null; then
        on_server $nobody "$work/program" live -i s0 --duration 1s >/dev/null 2>"$work/setcap.err"
        check "with the line that is shown, a user may capture" [ $? = 0 ]
        setcap cap_net_raw=eip "$work/program"
        on_server $nobody "$work/program" live -i s0 --duration 1s >/dev/null 2>"$work/setcap.err"
        check "(cap_net_raw alone does, too)" [ $? = 0 ]
    fi
}

# --- what goes wrong -------------------------------------------------------------------------
step_input() {
    local err="$work/input.err" out="$work/input.out"
    on_server "$wirewait" live -i nope >"$out" 2>"$err"
    check "no such interface: 1" [ $? = 1 ]
    check "and those that are there" says "$err" "there is no such interface; there are .*s0"
    on_server "$wirewait" live -i s0 -f "tcp prot 445" >"$out" 2>"$err"
    check "a wrong filter: 2" [ $? = 2 ]
    check "and its place" says "$err" '^      ^~~~$'
    on_server ip link set s1 down
    on_server "$wirewait" live -i s1 >"$out" 2>"$err"
    check "an interface that is down: 1" [ $? = 1 ]
    check "and how to bring it up" says "$err" "ip link set s1 up"
    on_server ip link set s1 up
    on_server "$wirewait" live -i s0 -o /no/such/folder/x >"$out" 2>"$err"
    check "no place for the report, told before anything is captured: 1" [ $? = 1 ]
    check "and which" says "$err" "/no/such/folder/x"
    on_server "$wirewait" live -i s0 -o /dev/full --duration 1s --format json >"$out" 2>"$err"
    check "a full disk: 1" [ $? = 1 ]
    check "and where" says "$err" "cannot write to /dev/full: No space left"
    "$wirewait" live - </etc/passwd >"$out" 2>"$err"
    check "no capture in the pipe: 1" [ $? = 1 ]

    # Signals.
    local signal
    for signal in INT TERM HUP; do
        # What the one before said is not to be taken for what this one says.
        : >"$err"
        # Whoever runs this may ignore some of them (nohup); wirewait would then, too.
        ip netns exec $server env --default-signal=INT,TERM,HUP -i "$wirewait" live -i s0 --format json >"$out" 2>"$err" &
        local pid=$!
        until_says "$err" "capturing on"
        kill -$signal $pid
        wait $pid
        check "SIG$signal ends it with a report: 0" [ $? = 0 ]
        check "which is whole" python3 -c "import json; json.load(open('$out'))"
    done

    # The terminal is closed: the report goes where it was to go.
    python3 - "$server" "$wirewait" "$work/hup.json" <<'PY'
import os, pty, signal, sys, time
server, wirewait, out = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.execvp("ip", ["ip", "netns", "exec", server, wirewait, "live", "-i", "s0", "--format", "json", "-o", out])
seen = b""
while b"capturing on" not in seen:
    seen += os.read(terminal, 1000)
time.sleep(0.3)
os.close(terminal)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
PY
    check "a terminal that is closed: the report is written" [ $? = 0 ]
    check "and whole" python3 -c "import json; json.load(open('$work/hup.json'))"

    # Limits, and the pipe.
    ip netns exec $server "$wirewait" live -i s0 --count 7 --format json >"$out" 2>"$err" &
    local pid=$!
    until_says "$err" "capturing on"
    replay c0 "${old[0]}"
    wait $pid
    check "--count 7 takes seven frames" python3 -c "import json; assert json.load(open('$out'))['capture']['frames'] == 7"
    (on_server dumpcap -q -i s0 -a duration:4 -w - 2>/dev/null | "$wirewait" live - --format json >"$out" 2>"$err") &
    pid=$!
    until_says "$err" "reading"
    sleep 2
    replay c0 "${old[0]}"
    wait $pid
    check "dumpcap -w - | wirewait live -: all frames" python3 -c "
import json
want = json.loads('''$("$wirewait" report --format json "${old[0]}")''')['capture']['frames']
assert json.load(open('$out'))['capture']['frames'] == want"
    on_server "$wirewait" live -i s0 --duration 1s --fail-if 'unanswered >= 0' >"$out" 2>"$err"
    check "a condition that holds: 4" [ $? = 4 ]
    on_server "$wirewait" live -i s0 --duration 1s --fail-if 'unanswered > 5' >"$out" 2>"$err"
    check "one that does not: 0" [ $? = 0 ]

}

# Once more where the judge lost frames, three times in all.
for step in $steps; do
    for trial in "" -2 -3; do
        echo "== $step$trial"
        "step_$step"
        [ $? = $again ] || continue 2
        echo "AGAIN: $step: dumpcap, the judge, lost frames"
    done
    bad "$step: dumpcap lost frames three times: nothing is shown of wirewait"
done
[ $failed = 0 ] && echo "all well"
exit $failed
