"""Uses SimpleBLE as documented, and prints the results as one JSON object per line."""

import json
import os
import queue
import sys

import simplepyble

TIMEOUT = 15


def say(**fact):
    print(json.dumps(fact), flush=True)


def full(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


address = sys.argv[1]
adapter = simplepyble.Adapter.get_adapters()[0]
say(adapter=adapter.address())

found = queue.Queue()
adapter.set_callback_on_scan_found(found.put)
adapter.scan_start()
while (peripheral := found.get(timeout=TIMEOUT)).address() != address:
    pass
adapter.scan_stop()
say(found=peripheral.identifier(), connectable=peripheral.is_connectable())

peripheral.connect()
say(connected=peripheral.is_connected(), mtu=peripheral.mtu())
say(services=sorted(service.uuid() for service in peripheral.services()))
say(level=peripheral.read(full("180f"), full("2a19")).hex())
peripheral.write_request(full("180d"), full("2a39"), b"\x2a")
say(written=peripheral.read(full("180d"), full("2a39")).hex())
peripheral.write_command(full("180d"), full("2a39"), b"\x2b")
say(commanded=peripheral.read(full("180d"), full("2a39")).hex())

values = queue.Queue()
peripheral.notify(full("180d"), full("2a37"), values.put)
beats = [values.get(timeout=TIMEOUT).hex() for _ in range(4)]
peripheral.unsubscribe(full("180d"), full("2a37"))
say(beats=beats)

peripheral.disconnect()
say(connected=peripheral.is_connected())

# SimpleBLE crashes when the interpreter releases its objects.
os._exit(0)
