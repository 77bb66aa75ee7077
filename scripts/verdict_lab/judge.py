"""What wirewait says of a capture, against the truth."""

import json
import subprocess

from verdict_lab import truth as logs
from verdict_lab.faults import LOSSES, MAY_BE_RAISED, MAY_BE_WIDE, NARROW, RAISED, SHORT
from verdict_lab.truth import WHO

# Percent: printed shares are rounded to a tenth.
ROUNDED = 0.11


def reported(wirewait, capture):
    out = subprocess.run([wirewait, "report", "--format", "json", capture], capture_output=True, check=True)
    return json.loads(out.stdout)


def evidence(fault, end, active, varied):
    """Who of client, network and server must be known closely, as far as the fault says so.

    What hides in a station's time is the way to it. At its own end there is none, and what it needs for
    the cheapest request bounds it. TCP answers by itself at the other end: the handshake, and data that may
    not wait for its acknowledgement. At the client that is the server's answer to the handshake at
    least. At the server it is the client's to a response of two segments, since a client's
    acknowledgement of one may ride on its next request; without it the way is bounded by its shortest gap.
    Where frames took `varied` longer than the shortest, all together, none of them says how long another took; where
    that is the fault, each response shows its own way by the client's acknowledgement. A server's that comes right
    ahead of its response may have been late as well, so a request does not.
    """
    if fault.varies:
        shows = all(client.role == "reader" and client.size > 2 * 1460 for client in fault.clients)
        known = {"client": end == "client" or shows, "server": end == "server"}
        return {**known, "network": all(known.values())}
    known = {}
    for station in ("client", "server"):
        bound, itself = 0, True
        for client in fault.clients:
            # Between two requests the client's program needs 0.3 ms, and the server as much for a read.
            way = (0 if station == end else 2 * fault.way_ms) + (2 * client.way_ms if station == "client" else 0)
            bound += (way + 0.3) * 1e6 * client.reads
            near = station == end and not (station == "client" and client.way_ms)
            itself &= not near and (station == "server" or client.size > 2 * 1460)
        itself &= 100 * varied < NARROW / 3 * active
        known[station] = itself or 100 * bound < 0.9 * NARROW * active
    # What was lost before the capture is shown by numbers of packets, which IPv6 has not.
    if fault.ipv6 and end == "server" and fault.lost[0]:
        known["client"] = False
    known["network"] = known["client"] and known["server"]
    return known


def shares_of(row):
    """A row of the account as percent of its active time: the phases are without the least that hides in them."""
    hidden = [row["network_in_client_ns"], row["network_in_server_ns"]]
    open_in = {who: part["high"] - part["low"] for who, part in zip(("client", "server"), hidden)}
    network = sum(row[f"{phase}_ns"] for phase in ("request_transfer", "response_transfer", "retransmission", "distance"))
    ns = {"network": (network, network + sum(open_in.values()))}
    for who in ("client", "server"):
        ns[who] = (row[f"{who}_ns"] - open_in[who], row[f"{who}_ns"])
    return {who: tuple(100 * side / row["active_ns"] for side in ns[who]) for who in WHO}


def apart(what, printed, true, slack=ROUNDED):
    """Whether an interval that was printed and one that is true have nothing in common, and a word of it."""
    if printed[0] <= true[1] + slack and printed[1] >= true[0] - slack:
        return []
    return [f"{what} {printed[0]:.4g}-{printed[1]:.4g} for {true[0]:.4g}-{true[1]:.4g}"]


def row_of(report, address):
    """The account of one client; JSON has it under the server's pairs, too."""
    for row in report["ledger"]["clients"]:
        if row["client"] == address:
            return row
    return None


def clients(fault, end, report, truths):
    """What is wrong with the rows of single clients, and with what is said of all together."""
    wrong = []
    for address, its in zip(fault.addresses, truths):
        row = row_of(report, address)
        if row is None:
            wrong.append(f"{address} has no row")
            continue
        printed, true = shares_of(row), logs.percent([its])
        for who in WHO:
            wrong += apart(f"{address} {who}", printed[who], true[who])
        waiting = [its.waiting[0] / 1e6, its.waiting[1] / 1e6]
        wrong += apart(f"{address} waiting ms", [row["waiting_ns"] / 1e6] * 2, waiting, 1)
    if len(truths) == 1:
        return wrong
    fair = report["fairness"]
    if any(its.waiting[1] for its in truths):
        # Clients that wait for each other are not served alike, and nobody's fault.
        return wrong
    for what, bounds in (
            ("response_time", logs.response_times(truths, end)),
            ("throughput", [tuple(its.reads * client.size / ns for ns in reversed(its.at_work))
                            for client, its in zip(fault.clients, truths)])):
        index = fair[what]["index"]
        wrong += apart(f"fairness of {what}", [index, index], logs.fairness(bounds), 0.0005)
    said = {row["client"] for row in fair["starving"]}
    sure, may = ({fault.addresses[n] for n in numbers}
                 for numbers in logs.starving(logs.response_times(truths, end), fair["starves_from"]))
    wrong += [f"{address} starves, and is not said to" for address in sorted(sure - said)]
    wrong += [f"{address} is said to starve" for address in sorted(said - may)]
    return wrong


def lookups(report, end, log):
    """What is wrong with what is said of name services by a capture at one end."""
    found = [symptom for symptom in report["symptoms"]["found"]
             if symptom["id"] == "lookups_unanswered" and symptom["state"] == "raised"]
    asked = log["queries"][end].values()
    count = [sum(symptom["count"] for symptom in found)] * 2
    cost = [sum(symptom["cost_ns"] for symptom in found) / 1e6] * 2
    # What a capture shows: from the first time that each came by its place to the last.
    repeated = sum(max(times) - min(times) for times in asked) / 1e6
    wrong = apart("lookups", count, [len(asked)] * 2)
    wrong += apart("cost of lookups, ms,", cost, [repeated - 1 * len(asked), repeated + 1 * len(asked)])
    refused = any(word.get("word") == "refused by ICMP" for symptom in found for word in symptom["words"])
    if refused != bool(log["refused"]):
        wrong.append(f"lookups refused: {refused}, wire: {log['refused']}")
    return wrong


def late(acks, active):
    """How much later clients acknowledged than they can, ns, beyond a third of what an interval may be wide: this machine
    had other work. A way is known by acknowledgements, of which none says how late another one was."""
    least = {client: min(ns for of, ns in acks if of == client) for client in {client for client, _ in acks}}
    return max(0, sum(ns - least[client] for client, ns in acks) - NARROW / 300 * active)


def compare(wirewait, fault, end, truths, log, folder):
    """A row of the table, whether it is right, and whether an interval is too wide."""
    report = reported(wirewait, f"{folder}/{fault.name}-at-{end}.pcap")
    raised = {found["id"] for found in report["symptoms"]["found"] if found["state"] == "raised"}
    verdict, true = report["verdict"], logs.percent(truths)
    printed, wrong, wide, texts = verdict.get("shares") or {}, [], [], []
    known = evidence(fault, end, logs.shares(truths)[0][1], sum(its.varied for its in truths))
    if fault.varies and true["network"][1] - true["network"][0] >= 2 * NARROW:
        # The stations were as late as the wire: this machine had other work, and acknowledgements say no more than that.
        known = dict.fromkeys(known, False)
    # As much as that may be a client's or the network's, where the capture is the server's.
    open_ns = sum(ns for _, ns in log["owed"]) + late(log["acks"], logs.shares(truths)[0][1]) if end == "server" else 0
    narrow = {who: NARROW + (0 if who == "server" else 100 * open_ns / logs.shares(truths)[0][0]) for who in WHO}
    close = known["network"]
    for who in WHO:
        if who not in printed:
            wrong.append("no shares")
            break
        low, high = (printed[who][side] / 10 for side in ("low_per_mille", "high_per_mille"))
        texts.append(f"{low:.1f}-{high:.1f}")
        wrong += apart(who, (low, high), true[who])
        if known[who] and high - low >= narrow[who]:
            wide.append(who)
        close &= high - low < NARROW
    named = verdict["culprit"]
    first = max(true, key=lambda who: true[who][0])
    clear = all(true[first][0] > true[who][1] for who in WHO if who != first)
    # Where all is known closely, two that may be it are one too many.
    if clear and (named != first if close else first not in named):
        wrong.append(f"named {named} for {first}")
    elif named in WHO and any(true[named][1] < true[who][0] for who in WHO):
        wrong.append(f"named {named}, who has less than another")
    wrong += clients(fault, end, report, truths)
    if not any(client.lookup_every for client in fault.clients):
        wrong += [] if "lookups_unanswered" not in raised else ["lookups unanswered"]
    else:
        wrong += lookups(report, end, log)
    if fault.quiet:
        booked = 100 * report["ledger"]["capture"]["retransmission_ns"] / report["ledger"]["capture"]["active_ns"]
        wrong += [f"loss recovery {booked:.1f} %"] if booked > 1 else []
        # What was lost and cost nobody time was still sent again, and may be called so.
        repeated = log["lost_acks"] or log["lost_interims"]
        wrong += [f"raised {name}" for name in sorted(raised.intersection(LOSSES[:1] if repeated else LOSSES))]
    must = RAISED.get((fault.name, end), set())
    if must and not must & raised:
        wrong.append(f"missed {', '.join(sorted(must))}")
    nobody = (lambda _: False, "")
    wrong += [f"raised {name}" for name in sorted(raised) if not MAY_BE_RAISED.get(name, nobody)[0](fault)]
    # Where an interim response is lost, the client's timer and the server's race; the wire's log says which was first.
    if fault.interims and raised.intersection(LOSSES[2:]) and not log["requests_again"]:
        wrong.append("no request was sent again")
    short = SHORT.get((fault.name, end))
    if short and not wrong:
        wrong.append("right, but listed as known to be wrong")
    elif short:
        named, wrong = f"{named} KNOWN: {short}: {'; '.join(wrong)}", []
    said = ", ".join(f"{true[who][0]:.1f}-{true[who][1]:.1f}" for who in WHO)
    note = named + "".join(f" WIDE {who}" for who in wide) + "".join(f" WRONG: {what}" for what in wrong)
    row = (fault.name, end, said, ", ".join(texts) or "-", note, ", ".join(sorted(raised)) or "-")
    return row, not wrong, bool(wide) and (fault.name, end) not in MAY_BE_WIDE
