"""Receives the signals of the generator with Bleak: bleak_receiver.py advertise|notify"""

import asyncio
import sys

from bleak import BleakClient, BleakScanner

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
    found = await BleakScanner.find_device_by_address("C0:00:00:00:00:00", timeout=30)
    async with BleakClient(found) as client:
        await client.start_notify("0000ffe1-0000-1000-8000-00805f9b34fb", notified, bluez={"use_start_notify": True})
        await asyncio.sleep(3600)


asyncio.run(main())
