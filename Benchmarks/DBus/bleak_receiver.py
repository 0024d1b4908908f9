"""Receives the signals of the generator with Bleak: bleak_receiver.py advertise|notify|packet"""

import asyncio
import sys

from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice

# The connected device of the generator. It sends no advertisement before it is told to, so a scan would not find it.
ADDRESS = "C0:00:00:00:00:00"
PATH = "/org/bluez/hci0/dev_" + ADDRESS.replace(":", "_")
CHARACTERISTIC = "0000ffe1-0000-1000-8000-00805f9b34fb"

taken = 0


def advertised(_, data):
    global taken
    taken += sum(map(len, data.manufacturer_data.values()))


def notified(_, value):
    global taken
    taken += len(value)


async def main():
    if sys.argv[1] == "advertise":
        async with BleakScanner(advertised):
            await asyncio.sleep(3600)
    device = BLEDevice(ADDRESS, "generated", {"path": PATH, "props": {}})
    async with BleakClient(device) as client:
        # Bleak asks for a socket unless it is told to use signals.
        await client.start_notify(CHARACTERISTIC, notified, bluez={"use_start_notify": sys.argv[1] == "notify"})
        await asyncio.sleep(3600)


asyncio.run(main())
