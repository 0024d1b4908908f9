"""Uses Bleak as documented, and prints the results as one JSON object per line."""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner
from bleak.args.bluez import OrPattern
from bleak.assigned_numbers import AdvertisementDataType

TIMEOUT = 15


def say(**fact):
    print(json.dumps(fact), flush=True)


async def scan(addresses, **how):
    """Scans until all these devices are found, and prints the last advertisement of each device, also of others."""
    heard = {}
    done = asyncio.Event()

    def take(device, data):
        heard[device.address] = data
        if addresses <= heard.keys():
            done.set()

    async with BleakScanner(take, **how):
        await asyncio.wait_for(done.wait(), TIMEOUT)
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


async def watch(addresses):
    """Scans passively with advertisement monitors: iBeacons, and devices with data of the service 181A."""
    patterns = [
        OrPattern(0, AdvertisementDataType.MANUFACTURER_SPECIFIC_DATA, bytes.fromhex("4c000215")),
        OrPattern(0, AdvertisementDataType.SERVICE_DATA_UUID16, bytes.fromhex("1a18")),
    ]
    await scan(addresses, scanning_mode="passive", bluez={"or_patterns": patterns})


async def found(address):
    device = await BleakScanner.find_device_by_address(address, timeout=TIMEOUT)
    assert device is not None, f"{address} was not found"
    return device


async def several(values, count):
    return [(await asyncio.wait_for(values.get(), TIMEOUT)).hex() for _ in range(count)]


async def use(address):
    """Connects, lists, reads, writes, subscribes and disconnects."""
    gone = asyncio.Event()
    async with BleakClient(await found(address), disconnected_callback=lambda _: gone.set()) as client:
        say(connected=client.is_connected)
        for service in client.services:
            for characteristic in service.characteristics:
                say(
                    service=service.uuid,
                    characteristic=characteristic.uuid,
                    handle=characteristic.handle,
                    properties=sorted(characteristic.properties),
                    descriptors=[descriptor.uuid for descriptor in characteristic.descriptors],
                    longestCommand=characteristic.max_write_without_response_size,
                )
        say(level=(await client.read_gatt_char("2a19")).hex())
        await client.write_gatt_char("2a39", b"\x2a", response=True)
        say(written=(await client.read_gatt_char("2a39")).hex())
        await client.write_gatt_char("2a39", b"\x2b", response=False)
        say(commanded=(await client.read_gatt_char("2a39")).hex())
        try:
            await client.write_gatt_char("2a38", b"\x00", response=True)
        except Exception as error:
            say(refused=f"{type(error).__name__}: {error}")

        values = asyncio.Queue()
        await client.start_notify("2a37", lambda _, value: values.put_nowait(bytes(value)))
        say(beats=await several(values, 4))
        await client.stop_notify("2a37")
    await asyncio.wait_for(gone.wait(), TIMEOUT)
    say(connected=client.is_connected)


async def describe(address):
    """Reads descriptors and the MTU, and gets notifications over a socket."""
    async with BleakClient(await found(address)) as client:
        characteristic = client.services.get_characteristic("2a6e")
        for descriptor in characteristic.descriptors:
            say(descriptor=descriptor.uuid, value=(await client.read_gatt_descriptor(descriptor.handle)).hex())
        # Bleak's documentation recommends this for BlueZ. It acquires a socket, and closes it.
        await client._backend._acquire_mtu()
        say(mtu=client.mtu_size)
        values = asyncio.Queue()
        await client.start_notify(
            characteristic, lambda _, value: values.put_nowait(bytes(value)), bluez={"use_start_notify": False}
        )
        say(degrees=await several(values, 2))


async def count(address):
    """Receives 200 notifications."""
    values = asyncio.Queue()
    async with BleakClient(await found(address)) as client:
        await client.start_notify("ffe1", lambda _, value: values.put_nowait(bytes(value)))
        say(counted=await several(values, 200))


async def lose(address):
    """Subscribes, and waits for link loss."""
    gone = asyncio.Event()
    values = []
    async with BleakClient(await found(address), disconnected_callback=lambda _: gone.set()) as client:
        await client.start_notify("fff2", lambda _, value: values.append(bytes(value)))
        await asyncio.wait_for(gone.wait(), TIMEOUT)
        say(lost=True, connected=client.is_connected, values=[value.hex() for value in values])


async def pair(address):
    """Connects, pairs and unpairs."""
    gone = asyncio.Event()
    async with BleakClient(await found(address), disconnected_callback=lambda _: gone.set()) as client:
        await client.pair()
        say(paired=True, level=(await client.read_gatt_char("2a19")).hex())
        await client.unpair()
        await asyncio.wait_for(gone.wait(), TIMEOUT)
        say(paired=False, connected=client.is_connected)


async def published(address):
    """Uses the service FFA0: reads and writes FFA1, and gets five notifications of FFA2."""
    async with BleakClient(await found(address)) as client:
        characteristics = sorted(client.services.get_service("ffa0").characteristics, key=lambda one: one.handle)
        say(characteristics=[characteristic.uuid for characteristic in characteristics])
        for characteristic in characteristics:
            say(properties=sorted(characteristic.properties))
        say(read=(await client.read_gatt_char("ffa1")).hex())
        await client.write_gatt_char("ffa1", b"\x2a\x2b", response=True)
        say(read=(await client.read_gatt_char("ffa1")).hex())
        try:
            await client.write_gatt_char("ffa1", b"\xff", response=True)
        except Exception as error:
            say(refused=f"{type(error).__name__}: {error}")
        values = asyncio.Queue()
        await client.start_notify("ffa2", lambda _, value: values.put_nowait(bytes(value)))
        say(counts=await several(values, 5))
        await client.stop_notify("ffa2")


STEPS = {"published": published, "use": use, "describe": describe, "count": count, "lose": lose, "pair": pair}
_, step, addresses = sys.argv
addresses = addresses.split(",")
if step in STEPS:
    task = STEPS[step](addresses[0])
else:
    task = {"scan": scan, "watch": watch}[step](set(addresses))
asyncio.run(asyncio.wait_for(task, 4 * TIMEOUT))
