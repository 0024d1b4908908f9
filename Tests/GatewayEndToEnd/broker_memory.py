"""Measures the memory of ble-gateway while a hostile broker sends what it should not.

broker_memory.py BLE_GATEWAY   prints the growth after each behaviour, and exits 1 if one exceeds 2 MB above the idle size.

The gateway runs on a message bus without bluetoothd, so that nothing else needs memory.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

LIMIT = 2048
CONNACK = bytes([0x20, 3, 0, 0, 0])
MEBIBYTE = bytes(1 << 20)


def length(number):
    """A variable byte integer."""
    result = bytearray()
    while True:
        number, digit = divmod(number, 128)
        result.append(digit | (0x80 if number else 0))
        if not number:
            return bytes(result)


def packet(header, body):
    return bytes([header]) + length(len(body)) + body


def message(topic, payload, identifier=None):
    """A message with QoS 1 if it has an identifier."""
    start = len(topic).to_bytes(2, "big") + topic + (b"" if identifier is None else identifier.to_bytes(2, "big")) + b"\0"
    return packet(0x30 if identifier is None else 0x32, start + payload)


def command(number):
    return message(b"home/attic/commands/C0FFEE000001", b'{"id":"%d","read":"2A19"}' % number, number % 65535 + 1)


def large_message():
    """A message of 250 MB."""
    topic = b"home/attic/commands/C0FFEE000001"
    size = 250 << 20
    yield b"\x32" + length(2 + len(topic) + 2 + 1 + size) + len(topic).to_bytes(2, "big") + topic + b"\0\1\0"
    for _ in range(size >> 20):
        yield MEBIBYTE


def repeated(data, count):
    for _ in range(count):
        yield data


BEHAVIOURS = {
    "a message of 250 MB": large_message,
    "100,000 commands": lambda: (command(number) for number in range(100_000)),
    "100,000 messages on other topics": lambda: repeated(message(b"elsewhere", bytes(100)), 100_000),
    "2,000 messages of 200 kB": lambda: repeated(message(b"home/attic/commands/C0FFEE000001", bytes(200_000)), 2_000),
    "a packet that never ends": lambda: repeated(b"\x30\xff\xff\x03" + bytes(60_000), 1),
    "10,000 answers to no request": lambda: repeated(packet(0x40, b"\x12\x34\0\0"), 10_000),
    "200 kB of user properties": lambda: repeated(
        packet(0x30, b"\0\1t" + length(200_000) + b"\x26\0\1k\0\2vv" * 25_000), 200),
    "random bytes": lambda: repeated(os.urandom(1 << 16), 64),
}


def memory(process, key):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"^{key}:\s*(\d+) kB$", status, re.MULTILINE)[1])


def accept(server):
    """Accepts a connection, its first packet, and answers it."""
    server.settimeout(60)
    connection, _ = server.accept()
    connection.settimeout(60)
    connection.recv(4096)
    connection.sendall(CONNACK)
    return connection


def drain(connection, seconds):
    """Reads what the gateway sends, for some seconds or until it closes the connection."""
    end = time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        connection.settimeout(rest)
        try:
            if not connection.recv(1 << 16):
                return
        except OSError:
            return


def send(connection, parts):
    """Sends everything, unless the gateway closes the connection."""
    connection.setblocking(False)
    for part in parts:
        view = memoryview(part)
        while view:
            try:
                view = view[connection.send(view):]
            except BlockingIOError:
                try:
                    connection.recv(1 << 16)
                except BlockingIOError:
                    time.sleep(0.001)
            except OSError:
                return


def main(program):
    failures = 0
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        path = pathlib.Path(folder) / "gateway.yaml"
        path.write_text(
            f"name: attic\nbroker: {{ host: 127.0.0.1, port: {server.getsockname()[1]}, initial-delay: 100 ms,"
            " maximum-delay: 1 s }\ndevices: [{ address: C0:FF:EE:00:00:01 }]\n")
        path.chmod(0o600)
        bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True)
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=bus.stdout.readline().strip(), HOME=folder)
        with open(f"{folder}/log", "wb") as log:
            gateway = subprocess.Popen(
                [program, path], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            # A first connection with an ordinary message, so that all code is loaded.
            with accept(server) as connection:
                send(connection, [command(1)])
                drain(connection, 3)
            idle = memory(gateway, "VmRSS")
            print(f"idle: {idle:,} KiB")
            for name, parts in BEHAVIOURS.items():
                pathlib.Path(f"/proc/{gateway.pid}/clear_refs").write_text("5")  # resets the highest size
                with accept(server) as connection:
                    send(connection, parts())
                    drain(connection, 2)
                growth = memory(gateway, "VmHWM") - idle
                is_failed = growth > LIMIT or gateway.poll() is not None
                failures += is_failed
                print(f"{'FAILED ' if is_failed else ''}{name}: {growth:+,} KiB", flush=True)
        except OSError as error:
            failures += 1
            print(f"{error}\n{pathlib.Path(f'{folder}/log').read_text()[-4000:]}", file=sys.stderr)
        finally:
            gateway.terminate()
            for process in gateway, bus:
                if process is bus:
                    bus.kill()
                process.wait()
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
