"""Prints the nanoseconds of TheengsDecoder and bthome-ble for each case of `valuesbench --list`, read from a file.

One row a case: name, TheengsDecoder, bthome-ble; `-` if the decoder is not for the format.
"""

import json
import logging
import pathlib
import sys
import time

from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bthome_ble import BTHomeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from TheengsDecoder import decodeBLE

logging.disable(logging.CRITICAL)
ADDRESS = "54:48:E6:8F:80:A5"
ROUNDS = 2000


def cost(call):
    """The lowest mean of three runs, in nanoseconds."""
    results = []
    for _ in range(3):
        start = time.perf_counter_ns()
        for _ in range(ROUNDS):
            call()
        results.append((time.perf_counter_ns() - start) / ROUNDS)
    return round(min(results))


for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    name, kind, identifier, digits = line.split()
    payload, number = bytes.fromhex(digits), int(identifier, 16)
    message = {"id": ADDRESS, "rssi": -60}
    if kind == "m":
        message["manufacturerdata"] = (number.to_bytes(2, "little") + payload).hex()
    else:
        message["servicedata"], message["servicedatauuid"] = digits, identifier
    if name == "govee":
        message["name"] = "GVH5075_1234"
    text = json.dumps(message)
    bthome = "-"
    if name.startswith("bthome"):
        key = bytes.fromhex("231d39c1d7cc1ab1aee224cd096db932") if name.endswith("key") else None
        service = {f"0000{identifier}-0000-1000-8000-00805f9b34fb": payload}
        parser = BTHomeBluetoothDeviceData(bindkey=key)
        information = BluetoothServiceInfoBleak(
            "x", ADDRESS, -60, {}, service, [], "local", BLEDevice(ADDRESS, "x", {}),
            AdvertisementData("x", {}, service, [], None, -60, ()), True, 1000.0, None)
        bthome = cost(lambda: parser.update(information))
    print(name, cost(lambda: decodeBLE(text)), bthome)
