"""Uses habluetooth and bleak-retry-connector as Home Assistant does, and prints one JSON object per line."""

import asyncio
import json
import sys

from bleak_retry_connector import BleakClientWithServiceCache, establish_connection
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager

TIMEOUT = 15


def say(**fact):
    print(json.dumps(fact), flush=True)


async def main(address):
    found = asyncio.get_running_loop().create_future()

    class Manager(BluetoothManager):
        def _discover_service_info(self, info):
            if info.address == address and not found.done():
                found.set_result(info)

    manager = Manager()
    set_manager(manager)
    await manager.async_setup()
    adapters = await manager.async_get_bluetooth_adapters()
    say(adapters={name: details["address"] for name, details in adapters.items()})

    scanner = HaScanner(BluetoothScanningMode.ACTIVE, "hci0", adapters["hci0"]["address"])
    scanner.async_setup()
    cancel = manager.async_register_scanner(scanner)
    await scanner.async_start()
    info = await asyncio.wait_for(found, TIMEOUT)
    say(found=info.name, services=sorted(info.service_uuids), source=info.source)

    client = await establish_connection(BleakClientWithServiceCache, info.device, info.name)
    say(connected=client.is_connected)
    say(level=(await client.read_gatt_char("2a19")).hex())
    await client.write_gatt_char("2a39", b"\x2a", response=True)
    say(written=(await client.read_gatt_char("2a39")).hex())
    values = asyncio.Queue()
    await client.start_notify("2a37", lambda _, value: values.put_nowait(bytes(value)))
    say(beats=[(await asyncio.wait_for(values.get(), TIMEOUT)).hex() for _ in range(4)])
    await client.stop_notify("2a37")
    await client.disconnect()
    say(connected=client.is_connected)

    await scanner.async_stop()
    cancel()
    manager.async_stop()


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 4 * TIMEOUT))
