"""Compares the messages of ble-gateway with those of TheengsDecoder for the same bytes.

messages.py BLE_CLI BLE_GATEWAY   prints each difference, and fails if docs/gateway-migration.md does not list its key
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/gateway-migration.md"
# Keys of the page's text. The raw bytes are removed by Theengs Gateway, and the others are about the message.
UNCOMPARED = {"acts", "cont", "cidc", "track", "prmac", "servicedata", "servicedatauuid", "manufacturerdata", "time", "mid"}
# Table: address, name, kind, identifier, payload. Sources: vectors of the vendors, and packets of devices.
DEVICES = [
    ("C0:00:00:00:01:01", "Ruuvi 1", "m", "0499", "03291a1ece1efc18f94202ca0b53"),
    ("C0:00:00:00:01:02", "Ruuvi 2", "m", "0499", "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"),
    ("C0:00:00:00:01:03", "Beacon", "m", "004c", "0215fda50693a4e24fb1afcfc6eb07647825c3500001c5"),
    ("A4:C1:38:00:01:04", "ATC_000104", "s", "fcd2", "4000050154024d0a03bf13"),
    ("4C:65:A8:00:01:05", "MJ_HT_V1", "s", "fe95", "5020aa01da050100a8654c0d1004da006b02"),
    ("A4:C1:38:00:01:07", "ATC_000107", "s", "181a", "a4c13800010700e42d5b0bb905"),
    ("A4:C1:38:00:01:08", "ATC_000108", "s", "181a", "08010038c1a4fb08e4110b0c5b7b04"),
    ("A4:C1:38:00:01:09", "GVH5075_1234", "m", "ec88", "0003215d6400"),
    ("49:22:02:17:01:0A", "sps", "m", "0a5a", "141500f9bd5808"),
    ("C0:00:00:00:01:0B", "x", "s", "fd3d", "540064009529"),
    ("58:2D:34:00:01:0C", "CGG1", "s", "fdcd", "08070c0100342d580104f2001202020164"),
    ("C0:00:00:00:01:0D", "MIBFS", "s", "181b", "0226b2070101013a2aec218640"),
    ("C0:00:00:00:01:0E", "Aranet4 1234", "m", "0702", "21130401000c0f01a2021a02b6272d5f013c001e0000"),
    ("C0:00:00:00:01:0F", "x", "m", "0059", "035f3f0b80120f0fb12a"),
    ("C0:00:00:00:01:10", "TP357 (1234)", "m", "dcc2", "0028022c"),
    ("5C:C7:C1:00:02:01", "SBDW-002C", "s", "fcd2", "440005016405100e002d013f0000"),
    ("5C:C7:C1:00:02:02", "SBBT-002C", "s", "fcd2", "44000501643a01"),
    ("5C:C7:C1:00:02:03", "SBMO-003Z", "s", "fcd2", "440005016405b036002101"),
    ("C0:00:00:00:02:07", "MI_SCALE", "s", "181d", "223a34e30702080c0a2d"),
]


def listed():
    """The keys in the first columns of the page's last two tables."""
    text = PAGE.read_text()
    rows = re.findall(r"^\| (`.*?) \|", text[text.index("## Keys that differ"):text.index("## Home Assistant")], re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def theengs(address, name, kind, identifier, payload):
    from TheengsDecoder import decodeBLE
    data = {"id": address, "rssi": -60, "name": name}
    if kind == "m":
        data["manufacturerdata"] = identifier[2:] + identifier[:2] + payload
    else:
        data |= {"servicedatauuid": identifier, "servicedata": payload}
    answer = decodeBLE(json.dumps(data))
    return json.loads(answer) if answer else {}


def gateway(ble_cli, ble_gateway):
    """The first reading of each device that the gateway publishes."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = ["seed: 7", "peripherals:"]
        for address, name, kind, identifier, payload in DEVICES:
            data = f"manufacturer-data: {{ 0x{identifier.upper()}" if kind == "m" else f"service-data: {{ {identifier}"
            lines.append(f'  - {{ name: "{name}", address: "{address}", advertisement: '
                         f'{{ interval: 500 ms, rssi: -60, name: "{name}", {data}: "{payload}" }} }} }}')
        (folder / "scenario.yaml").write_text("\n".join(lines) + "\n")
        (folder / "gateway.yaml").write_text("name: pi\nhome-assistant: false\nfilter: { unknown: true }\n")
        process = subprocess.Popen(
            [ble_cli, "simulate", folder / "scenario.yaml", "--", ble_gateway, "--dry-run", folder / "gateway.yaml"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        readings = {}
        try:
            for line in process.stdout:
                topic, _, payload = line.partition(" ")
                if topic.startswith("home/pi/BTtoMQTT/"):
                    readings.setdefault(topic.rsplit("/", 1)[1], json.loads(payload))
                # The sixth status follows minutes later, so a missing device does not hang the comparison for long.
                if len(readings) == len(DEVICES) or topic == "home/pi/status" and '"uptime":60' in payload:
                    break
        finally:
            process.terminate()
            process.wait()
        return readings


def differs(one, other):
    if isinstance(one, (int, float)) and isinstance(other, (int, float)) and isinstance(one, bool) == isinstance(other, bool):
        return abs(one - other) > 5e-4
    return one != other


def main(ble_cli, ble_gateway):
    known, ours, failures = listed(), gateway(ble_cli, ble_gateway), []
    found = set()
    for address, name, *data in DEVICES:
        peer, own = theengs(address, name, *data), ours.get(address.replace(":", ""), {})
        if not peer or not own:
            failures.append(f"{name}: {'TheengsDecoder' if not peer else 'ble-gateway'} does not decode it")
        for key in sorted(peer.keys() | own.keys()):
            if key in UNCOMPARED or not differs(peer.get(key), own.get(key)):
                continue
            found.add(key)
            print(f"{name}: {key}: TheengsDecoder {peer.get(key)!r}, ble-gateway {own.get(key)!r}")
            if key not in known:
                failures.append(f"{name}: {key} is not in {PAGE.name}")
    print("\n".join(failures) or f"{len(DEVICES)} devices; the page lists all {len(found)} keys that differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
