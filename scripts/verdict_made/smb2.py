"""Messages of SMB2 over TCP, as much of each as a reader of the header and of the usual fields needs ([MS-SMB2] 2.2)."""

import struct

NEGOTIATE, SETUP, TREE, CREATE, CLOSE, LOCK, READ, WRITE, CANCEL, ECHO, QUERY, NOTIFY, INFO, BREAK = (
    0, 1, 3, 5, 6, 10, 8, 9, 12, 13, 14, 15, 16, 18)
PENDING = 0x103
FILE = struct.pack("<QQ", 0x11, 0x22)
NOBODY = 0xFFFFFFFFFFFFFFFF


def header(command, number, response=False, status=0, pending=None, following=0, related=False):
    """The header; `pending` is the number of an asynchronous answer."""
    flags = response | (2 if pending is not None else 0) | (4 if related else 0)
    where = struct.pack("<Q", pending) if pending is not None else struct.pack("<II", 0xFEFF, 5)
    return (b"\xfeSMB" + struct.pack("<HHIHHIIQ", 64, 1, status, command, 32, flags, following, number)
            + where + struct.pack("<Q", 0x4000_0001) + bytes(16))


def framed(data):
    """With the length before it."""
    return struct.pack(">I", len(data)) + data


def request_body(command, size, offset=0, file=FILE, name="work.dat"):
    """What stands behind the header of a request; `size` is how many bytes of data it reads or writes."""
    if command == READ:
        return struct.pack("<HBBIQ", 49, 0x50, 0, size, offset) + file + struct.pack("<IIIHHB", 1, 0, 0, 0, 0, 0)
    if command == WRITE:
        return struct.pack("<HHIQ", 49, 112, size, offset) + file + struct.pack("<IIHHI", 0, 0, 0, 0, 0) + payload(size)
    if command == CREATE:
        text = name.encode("utf-16-le")
        # With an oplock of the batch kind.
        return struct.pack("<HBBIQQIIIIIHHII", 57, 0, 9, 2, 0, 0, 0x12019F, 0x80, 7, 1, 0x40, 120, len(text), 0, 0) + text
    if command == CLOSE:
        return struct.pack("<HHI", 24, 0, 0) + file
    if command == LOCK:
        return struct.pack("<HHI", 48, 1, 0) + file + struct.pack("<QQII", offset, 1, 2, 0)
    if command == INFO:
        return struct.pack("<HBBIHHIII", 41, 1, 18, 4096, 104, 0, 0, 0, 0) + file
    if command == QUERY:
        text = "*".encode("utf-16-le")
        return struct.pack("<HBBI", 33, 37, 0, 0) + file + struct.pack("<HHI", 96, len(text), 65_536) + text
    if command == NOTIFY:
        return struct.pack("<HHI", 32, 0, 4096) + file + struct.pack("<II", 0x17, 0)
    if command == NEGOTIATE:
        return struct.pack("<HHHHI", 36, 2, 1, 0, 0) + bytes(16) + struct.pack("<QHH", 0, 0x202, 0x210)
    if command == SETUP:
        return struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, 64, 0) + payload(64)
    if command == TREE:
        text = "\\\\srv\\share".encode("utf-16-le")
        return struct.pack("<HHHH", 9, 0, 72, len(text)) + text
    return struct.pack("<HH", 4, 0)


def response_body(command, size, file=FILE):
    """What stands behind the header of a response."""
    if command == READ:
        return struct.pack("<HBBIII", 17, 80, 0, size, 0, 0) + payload(size)
    if command == WRITE:
        return struct.pack("<HHIIHH", 17, 0, size, 0, 0, 0)
    if command == CREATE:
        return struct.pack("<HBBI", 89, 9, 0, 1) + bytes(32) + struct.pack("<QQII", 4096, 4096, 0x80, 0) + file + bytes(8)
    if command == CLOSE:
        return struct.pack("<HHI", 60, 0, 0) + bytes(52)
    if command == NOTIFY:
        return struct.pack("<HHIIII", 9, 72, size, 0, 1, size - 12) + "changed.dat".encode("utf-16-le")[:size - 12]
    if command in (INFO, QUERY):
        return struct.pack("<HHI", 9, 72, size) + bytes(size)
    if command == NEGOTIATE:
        return struct.pack("<HHHH", 65, 1, 0x210, 0) + bytes(16) + struct.pack(
            "<IIIIQQHHI", 7, 1 << 20, 1 << 20, 1 << 20, 0, 0, 128, 64, 0) + payload(64)
    if command == SETUP:
        return struct.pack("<HHHH", 9, 0, 72, 32) + payload(32)
    if command == TREE:
        return struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1F01FF)
    return struct.pack("<HH", 4, 0)


def payload(size):
    """Bytes of a file that are no header of anything."""
    return (bytes(range(1, 252)) * (size // 251 + 1))[:size]


def request(command, number, size=0, **more):
    """A request as it goes into TCP."""
    return framed(header(command, number) + request_body(command, size, **more))


def response(command, number, size=0, status=0, pending=None, file=FILE):
    """Its response."""
    body = struct.pack("<HBBIB", 9, 0, 0, 0, 0) if status else response_body(command, size, file)
    return framed(header(command, number, True, status, pending) + body)


def compound(commands, number, responses=False, sizes=()):
    """Several related commands in one message."""
    parts = []
    for place, command in enumerate(commands):
        size = sizes[place] if place < len(sizes) else 0
        body = response_body(command, size) if responses else request_body(command, size)
        following = 0
        if place + 1 < len(commands):
            body += b"\0" * (-(64 + len(body)) % 8)
            following = 64 + len(body)
        parts.append(header(command, number + place, responses, following=following, related=place > 0) + body)
    return framed(b"".join(parts))


def broken(file=FILE, level=1):
    """The server takes an oplock back."""
    return framed(header(BREAK, NOBODY, True) + struct.pack("<HBBI", 24, level, 0, 0) + file)


def give_back(number, file=FILE, level=1):
    """The client gives it back."""
    return framed(header(BREAK, number) + struct.pack("<HBBI", 24, level, 0, 0) + file)


def given_back(number, file=FILE, level=1):
    """The server's response to that."""
    return framed(header(BREAK, number, True) + struct.pack("<HBBI", 24, level, 0, 0) + file)
