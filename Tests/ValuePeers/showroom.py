"""Compares the readings of `ble-cli scan` with other decoders, on the devices of `ble-cli simulate showroom`.

showroom.py BLE_CLI DECODE_LINES   prints a table of the devices, and fails if a decoder disagrees

Bleak scans the simulation, and so does ble-cli with the keys of the devices. Each reading of ble-cli is compared with
what the other decoders read from the same bytes, and so is the reading of the bytes that Bleak reports.
"""

import asyncio
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from peers import Aranet, HomeAssistant, SwitchBot, Theengs, Victron, disagreements, listed

# Table: the format of a reading, the decoder of the format besides TheengsDecoder, and the beginning of its groups in docs/values.md.
PEERS = {
    "bthome": ("bthome-ble", "bthome"), "mibeacon": ("xiaomi-ble", "mibeacon"), "ruuvi": ("ruuvitag-ble", "ruuvi"),
    "govee": ("govee-ble", ""), "inkbird": ("inkbird-ble", ""), "thermopro": ("thermopro-ble", ""),
    "switchbot": ("PySwitchbot", ""), "qingping": ("qingping-ble", ""), "sensirion": ("sensirion-ble", "sensirion"),
    "miscale": ("xiaomi-ble", "miscale"), "aranet": ("aranet4", "aranet"), "oralb": ("oralb-ble", ""),
    "mopeka": ("mopeka-iot-ble", "mopeka"), "tilt": ("tilt-ble", ""), "victron": ("victron-ble", "victron"),
    "atc1441": (None, ""), "pvvx": (None, ""), "ibeacon": (None, ""), "altbeacon": (None, ""), "eddystone": (None, ""),
    "b-parasite": (None, ""), "ess": (None, ""),
}
# Table: the beginning of the groups of TheengsDecoder in docs/values.md, by the format.
THEENGS = {
    "ruuvi": "T ruuvi 5", "ibeacon": "T ibeacon", "tilt": "T ibeacon", "govee": "T govee h5075", "mopeka": "T mopeka",
    "aranet": "T aranet4", "inkbird": "T inkbird", "thermopro": "T thermopro", "switchbot": "T switchbot",
}
OTHERS = {"aranet4": Aranet, "victron-ble": Victron, "PySwitchbot": SwitchBot}
# Without these, a format would be compared with no decoder although there is one.
NEEDED = {"bthome", "mibeacon", "ruuvi", "govee", "inkbird", "thermopro", "switchbot", "qingping", "sensirion",
          "miscale", "aranet", "oralb", "mopeka", "tilt", "victron", "ibeacon"}
# Table: fields of TheengsDecoder that are something else for these formats, or missing in ours.
OTHER_FIELDS = {"oralb": {"pressure"}, "tilt": {"tempc", "txpower"}}


def line_of(reading):
    """The reading of ble-cli in the form of decode-lines."""
    parts = [f"{value['quantity']}/{value['unit']}={value['value']}" for value in reading["measurements"]]
    parts += [f"state/{state['kind']}={int(state['on'])}" for state in reading["states"]]
    parts += [f"{item['kind']}/id={item['value']}" for item in reading["identifiers"] if item["value"].isdigit()]
    return ";".join(parts + [f"format/{reading['format']}={len(reading['events'])}"])


def section_of(device):
    """The kind, identifier and bytes of the only data that a device advertises."""
    for identifier, data in device["manufacturerData"].items():
        return "m", int(identifier, 16), bytes.fromhex(data)
    for identifier, data in device["serviceData"].items():
        return "s", int(identifier[:8], 16), bytes.fromhex(data)
    return None


def compare(device, line, key, known):
    """Compares one reading with all decoders. Returns the rows of the table, and the disagreements."""
    kind, identifier, payload = section_of(device)
    name, format = device["name"] or "x", line.rsplit("format/", 1)[1].split("=")[0]
    peer, group = PEERS.get(format, (None, ""))
    decoders = [("TheengsDecoder", Theengs(), THEENGS.get(format, ""))]
    if peer:
        made = OTHERS[peer]() if peer in OTHERS else HomeAssistant(peer)
        decoders.append((peer, made, group))
    rows, failures = [], []
    for peer, decoder, group in decoders:
        values = decoder.decode(kind, identifier, payload, name, key, device["address"])
        values = [(str(getattr(field, "value", field)), value) for field, value in values]
        values = [(field, value) for field, value in values if field not in OTHER_FIELDS.get(format, ())]
        expected = {entry for name, entry in known if group and name.startswith(group)}
        found = disagreements(line, values) - expected
        failures += [f"{name}: {peer}: {entry}: {line} | {values}" for entry in sorted(found)]
        numbers = [f"{field} {value:g}" for field, value in values
                   if isinstance(value, (int, float)) and not isinstance(value, bool)
                   and field not in ("rssi", "signal_strength")]
        if numbers:
            rows.append((peer, ", ".join(numbers)))
    return format, rows, failures


async def bleak_scan(addresses):
    from bleak import BleakScanner
    heard, done = {}, asyncio.Event()

    def take(device, data):
        heard[device.address] = {
            "address": device.address, "name": data.local_name or device.name,
            "manufacturerData": {f"{number:04x}": value.hex() for number, value in data.manufacturer_data.items()},
            "serviceData": {uuid: value.hex() for uuid, value in data.service_data.items()},
        }
        if addresses <= heard.keys():
            done.set()

    async with BleakScanner(take):
        await asyncio.wait_for(done.wait(), 30)
    return heard


def main():
    ble_cli, decode_lines = sys.argv[1:3]
    known, failures, covered = listed(), [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "showroom.keys")
        simulation = subprocess.Popen(
            [ble_cli, "simulate", "showroom", "--write-keys", file], stdout=subprocess.PIPE, text=True)
        try:
            os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = simulation.stdout.readline().strip().partition("=")[2]
            keys = dict(line.split("=") for line in pathlib.Path(file).read_text().split())
            scan = subprocess.run(
                [ble_cli, "scan", "--json", "--timeout", "4", "--keys", file], capture_output=True, text=True)
            ours = {}
            for line in scan.stdout.splitlines():
                device = json.loads(line)
                if "address" in device:
                    ours[device["address"]] = device
            heard = asyncio.run(bleak_scan(set(ours)))
        finally:
            simulation.terminate()
            simulation.wait()
    assert len(ours) > 35, f"ble-cli reports {len(ours)} devices: {scan.stderr}"

    def key_of(address):
        return bytes.fromhex(keys[address]) if address in keys else None

    lines = []
    for address, device in sorted(heard.items()):
        kind, identifier, payload = section_of(device)
        key = keys.get(address, "-")
        name = (device["name"] or "-").replace(" ", "_")
        lines.append(f"{kind} {identifier:04x} {payload.hex()} {address} {name} {key}")
    answers = subprocess.run(
        [decode_lines], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.splitlines()

    print("| Device | Format | ble-cli | Other decoders |\n|---|---|---|---|")
    for address, device in sorted(ours.items()):
        if device["reading"] is None:
            failures.append(f"{device['name']}: ble-cli has no reading: {device['readingError']}")
            continue
        format, rows, found = compare(device, line_of(device["reading"]), key_of(address), known)
        failures += found
        covered[format] += len(rows)
        values = ", ".join(
            f"{value['quantity']} {value['value']:g} {value['symbol']}".strip() for value in device["reading"]["measurements"])
        print(f"| {device['name']} | {format} | {values} | {'; '.join(peer + ': ' + text for peer, text in rows)} |")
    for (address, device), answer in zip(sorted(heard.items()), answers):
        if answer.startswith(("unknown", "failure")):
            failures.append(f"{device['name']}: the bytes from Bleak: {answer}")
            continue
        failures += [f"from Bleak: {text}" for text in compare(device, answer, key_of(address), known)[2]]
    missing = sorted(format for format in NEEDED if not covered[format])
    if missing:
        failures.append(f"no other decoder reads {', '.join(missing)}")
    print(f"\n{len(ours)} devices of ble-cli, {len(heard)} of Bleak; {len(failures)} disagreements")
    for text in failures:
        print(text[:600])
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
