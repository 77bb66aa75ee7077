"""The clients of one run: `work.py PLAN` reads what they do, and each writes what it did and when.

The plan is JSON; `faults.py` makes it. All are forked from one process, log on one after the other, and
begin together. While the file PLAN.reads is there, the wire may lose frames: set-up and end are spared.
Each writes PLAN.N with its calls in order: [what, began, ended] in nanoseconds.
"""

import json
import os
import random
import socket
import struct
import subprocess
import sys
import time

from impacket import smb3structs
from impacket.smbconnection import SMBConnection

# Longer than a pause in which a client counts as at work (500 ms), so that the pause is none of its time.
IDLE_S = 0.7


def come_from(address):
    """Connections of this process come from that address."""
    connect = socket.socket.connect

    def bound(self, to):
        self.bind((address, 0))
        return connect(self, to)

    socket.socket.connect = bound


def await_file(path, there=True):
    while os.path.exists(path) != there:
        time.sleep(0.002)


class Client:
    def __init__(self, plan, me):
        self.plan, self.me, self.calls = plan, me, []

    def logged(self, what, call, *arguments, **named):
        began = time.time_ns()
        result = call(*arguments, **named)
        self.calls.append((what, began, time.time_ns()))
        return result

    def begin(self):
        dialect = self.plan["dialect"]
        dialect = int(dialect) if dialect.isdigit() else dialect
        self.smb = self.logged("set-up", SMBConnection, "lab", self.plan["server"], sess_port=445,
                               preferredDialect=dialect)
        self.logged("set-up", self.smb.login, "", "")
        self.tree = self.logged("set-up", self.smb.connectTree, self.plan["share"])
        # To lock a range exclusively, too, a file must be open for writing.
        access = 0x1 if self.me["role"] == "reader" else 0x3
        self.files = [self.logged("open", self.smb.openFile, self.tree, name, desiredAccess=access, shareMode=7)
                      for name in self.me["files"]]

    def work(self):
        for n in range(self.me["reads"]):
            if self.me["role"] == "holder":
                self.locked(0x2, "lock")
                time.sleep(self.me["think_us"] / 1e6)
                self.locked(0x4, "unlock")
                time.sleep(0.02)
                continue
            if self.me["role"] == "waiter":
                # The holder has it first.
                time.sleep(0.005)
                self.locked(0x2, "lock")
            if self.me["lookup_every"] and n % self.me["lookup_every"] == self.me["lookup_every"] - 1:
                self.logged("lookup", self.lookup, n)
            file, offset = self.files[n % len(self.files)], (n * 4096) % 500_000
            if self.me["role"] == "writer":
                self.logged("write", self.smb.writeFile, self.tree, file, bytes(self.me["size"]), offset=offset)
            else:
                self.logged("read", self.smb.readFile, self.tree, file, offset=offset, bytesToRead=self.me["size"])
            if self.me["role"] == "waiter":
                self.locked(0x4, "unlock")
            time.sleep(self.me["think_us"] / 1e6)

    def lookup(self, n):
        """Samba's own client of name services asks, and nobody has what it asks for."""
        subprocess.run(["nmblookup", "-s", self.plan["client_conf"], "-U", self.plan["names"], "--recursion",
                        f"LAB{n}"], capture_output=True, check=False)

    def locked(self, flags, what):
        """A lock that waits until it is granted, or an unlock ([MS-SMB2] 2.2.26)."""
        smb = self.smb.getSMBServer()
        packet, lock = smb.SMB_PACKET(), smb3structs.SMB2Lock()
        packet["Command"], packet["TreeID"] = smb3structs.SMB2_LOCK, self.tree
        lock["FileID"], lock["LockCount"] = self.files[0], 1
        lock["Locks"] = struct.pack("<QQLL", 0, 512, flags, 0)
        packet["Data"] = lock
        answer = self.logged(what, lambda: smb.recvSMB(smb.sendSMB(packet)))
        answer.isValidAnswer(0)


def one(plan, number, path):
    random.seed(number)
    client = Client(plan, plan["clients"][number])
    if client.me["source"]:
        come_from(client.me["source"])
    if number:
        await_file(f"{path}.up.{number - 1}")
    client.begin()
    open(f"{path}.up.{number}", "w").close()
    await_file(f"{path}.reads")
    time.sleep(IDLE_S)
    client.work()
    with open(f"{path}.{number}", "w") as file:
        json.dump(client.calls, file)
    # Nobody leaves while others are at work.
    await_file(f"{path}.reads", there=False)


def main():
    path = sys.argv[1]
    with open(path) as file:
        plan = json.load(file)
    numbers, children = range(len(plan["clients"])), []
    for number in numbers:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                one(plan, number, path)
                status = 0
            finally:
                sys.stdout.flush()
                if status:
                    sys.excepthook(*sys.exc_info())
                os._exit(status)
        children.append(child)
    failed = False

    def all_have(made):
        """Waits until each client made its file; stops them all where one failed."""
        nonlocal failed
        while not failed and not all(os.path.exists(f"{path}.{made}{number}") for number in numbers):
            failed |= any(os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) for child in children)
            time.sleep(0.005)

    all_have("up.")
    open(f"{path}.reads", "w").close()
    all_have("")
    os.remove(f"{path}.reads")
    for child in children:
        if failed:
            os.kill(child, 15)
        failed |= os.waitpid(child, 0)[1] != 0
    sys.exit(failed)


main()
