"""Rows that are known to be wrong, with the reason; one that is right must leave this table."""

# Reason: scenarios, each followed by the first letters of the places of its captures (client, middle, server).
TABLE = {
    "no acknowledgement of data came early; that of the handshake did (0052)":
        "1/late-always cms",
    "responses before the first early acknowledgement count as long as theirs took (0052)":
        "1/late-sometimes ms",
    "the first slices have the bounds of a steady way (0055)":
        "2/uniform-reads-few c",
    "a way that varies by less than 1 ms beside a station that does (0055)":
        "2/uniform-small-client c 2/uniform-small-server ms",
    "ways with a long tail: slices that are like no other count only if a sixteenth is like that, and the mean is not known (0055, 0056)":
        "2/queries-and-reads-late ms 2/tail-reads cms 2/tail-reads-1seg cms 2/tail-reads-far s 2/tail-seldom c 2/tail-server-5ms ms",
    "a segment that came by chance right behind a late acknowledgement is taken for one that waited for it":
        "2/tail-server-5ms c",
    "a repeat whose D-SACK was lost as well counts as loss recovery for sure":
        "3/acks-of-client-far s 3/acks-of-server-far cm",
    "a late acknowledgement is the client's, though a segment behind it was lost before the capture":
        "3/fast-both-far cm 3/lost-silent-far c",
    "several uploads at once: acknowledgements that rode on responses between two others make the line look slower":
        "4/full-acks-up-20mbit-4seg-4-outstanding c",
    "losses on a slow line with a short queue: shares are off by half a point":
        "4/down-4mbit-queue-16k m",
    "uploads with several outstanding on a slow line: of more than 128 segments on their way the first are not remembered (0059)":
        "4/up-4mbit-4-outstanding c",
    "several outstanding on a slow line: what the line needs for the first frame of a response is the server's":
        "4/full-acks-down-1mbit-20seg-4-outstanding c 5/4-outstanding-4mbit-1seg c 5/8-outstanding-4mbit-1seg-far cm",
    "several programs of a client: the pause behind one's response before another's request bounds no way, and shows none":
        "9/mixture-35 m 9/mixture-74 c 9/mixture-111 m",
    "a sender that stops for less than 5 ms within its message: the transfer, and so the network, has that time (0057)":
        "6/server-stops-disk cms",
    "the delay between packets of a burst is taken for the rate of the line":
        "7/burst-read-16k s 7/burst-read-16k-way-5ms s 7/burst-read-16k-lost-far s 7/burst-read-16k-paced-2ms cms",
    "a clock that is set within a request whose response has several segments is not found (0049)":
        "8/jump-on-1h-in-request cms",
    "a mixture with a slow line: see those of family 4":
        "9/mixture-14 m 9/mixture-29 c 9/mixture-101 c 9/mixture-140 m",
    "a mixture with a late reader: see those of family 1":
        "9/mixture-128 ms",
    "a packet burst lost before the capture: its whole wait is loss recovery, though the server may have had part of it":
        "7/burst-read-16k-lost-near s",
    "losses among messages that make up one request: shares are off by one to five points":
        "10/sets-lost-far s 10/sets-server-late-lost-near ms 10/sets-server-late-lost-far s 10/sets-client-late-lost-near ms "
        "10/sets-client-late-lost-far s 10/raw-lost-near ms 10/raw-server-late-lost-near ms 10/raw-client-late-lost-near m "
        "10/search-lost-near c",
    "a NetBEUI server answered at once twice alone: its way is proved some microseconds too long":
        "10/search-netbeui cms 10/search-netbeui-slow-line ms",
    "ways that vary, which acknowledgements of single segments alone would show (0053, 0055)":
        "2/uniform-quick-acks c",
}
PLACES = {"c": "client", "m": "middle", "s": "server"}


def rows():
    """Name of the row, and the reason."""
    for reason, text in TABLE.items():
        words = text.split()
        for name, places in zip(words[::2], words[1::2]):
            for place in places:
                yield f"{name}@{PLACES[place]}", reason


KNOWN = dict(rows())
