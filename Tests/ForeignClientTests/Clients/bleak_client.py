"""Uses Bleak as its documentation says, and prints what it saw as one JSON object a line."""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner

PATIENCE = 15


def say(**fact):
    print(json.dumps(fact), flush=True)


async def scan(addresses):
    """Says what was heard last of each of these devices, once all of them were heard."""
    heard = {}
    done = asyncio.Event()

    def take(device, data):
        heard[device.address] = data
        if addresses <= heard.keys():
            done.set()

    async with BleakScanner(take):
        await asyncio.wait_for(done.wait(), PATIENCE)
    for address, data in sorted(heard.items()):
        say(
            address=address,
            name=data.local_name,
            rssi=data.rssi,
            txPower=data.tx_power,
            services=sorted(data.service_uuids),
            manufacturerData={str(key): value.hex() for key, value in data.manufacturer_data.items()},
            serviceData={key: value.hex() for key, value in data.service_data.items()},
        )


async def use(address):
    """Connects, lists, reads, writes, subscribes and disconnects."""
    device = await BleakScanner.find_device_by_address(address, timeout=PATIENCE)
    gone = asyncio.Event()
    async with BleakClient(device, disconnected_callback=lambda _: gone.set()) as client:
        say(connected=client.is_connected)
        for service in client.services:
            for characteristic in service.characteristics:
                say(
                    service=service.uuid,
                    characteristic=characteristic.uuid,
                    handle=characteristic.handle,
                    properties=sorted(characteristic.properties),
                    descriptors=[descriptor.uuid for descriptor in characteristic.descriptors],
                )
        say(level=(await client.read_gatt_char("2a19")).hex())
        await client.write_gatt_char("2a39", b"\x2a", response=True)
        say(written=(await client.read_gatt_char("2a39")).hex())
        await client.write_gatt_char("2a39", b"\x2b", response=False)

        values = asyncio.Queue()
        await client.start_notify("2a37", lambda _, value: values.put_nowait(bytes(value)))
        beats = [(await asyncio.wait_for(values.get(), PATIENCE)).hex() for _ in range(3)]
        await client.stop_notify("2a37")
        say(beats=beats)
        try:
            await client.write_gatt_char("2a38", b"\x00", response=True)
        except Exception as error:
            say(refused=f"{type(error).__name__}: {error}")
    await asyncio.wait_for(gone.wait(), PATIENCE)
    say(connected=client.is_connected)


async def pair(address):
    """Connects and pairs."""
    device = await BleakScanner.find_device_by_address(address, timeout=PATIENCE)
    async with BleakClient(device) as client:
        await client.pair()
        say(paired=True)


_, step, addresses = sys.argv
steps = {"scan": lambda: scan(set(addresses.split(","))), "use": lambda: use(addresses), "pair": lambda: pair(addresses)}
asyncio.run(asyncio.wait_for(steps[step](), 4 * PATIENCE))
