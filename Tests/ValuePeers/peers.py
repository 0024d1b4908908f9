"""Compares decoded advertisements with other decoders: bthome-ble, ruuvitag-ble, xiaomi-ble and TheengsDecoder.

peers.py PROGRAM [COUNT [GROUP …]]   PROGRAM is decode-lines; COUNT payloads a group (default 100,000), with a fixed seed

Every value of a peer must be among our values of the same quantity. A disagreement has a class: group, quantity and kind.
docs/values.md lists the classes with the specification's verdict. The comparison fails if a class is not listed.
"""

import collections
import json
import logging
import multiprocessing
import pathlib
import random
import re
import subprocess
import sys

logging.disable(logging.CRITICAL)
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/values.md"
ADDRESS = "54:48:E6:8F:80:A5"
KEY = bytes.fromhex("231d39c1d7cc1ab1aee224cd096db932")
CHUNK = 5000


# ---- Payloads

def noise(rng, count):
    """Random bytes, of which many are limits."""
    return bytes(rng.choice((rng.randrange(256), rng.randrange(256), rng.randrange(256), 0, 255, 0x7F, 0x80))
                 for _ in range(count))


def objects(rng, table, width):
    return b"".join(
        identifier.to_bytes(width, "little") + bytes([count]) + noise(rng, count)
        for identifier, count in (rng.choice(table) for _ in range(rng.randrange(1, 3))))


def bthome(rng):
    from bthome_ble.const import MEAS_TYPES
    kinds = [kind for kind in MEAS_TYPES if kind not in (0x00, 0x3A, 0x3B, 0x3C, 0x50, 0x53, 0x54, 0xF0, 0xF1, 0xF2)]
    chosen = sorted(rng.sample(kinds, rng.randrange(1, 4)))
    return b"".join(bytes([kind]) + noise(rng, MEAS_TYPES[kind].data_length or 1) for kind in chosen)


def bthome_sealed(rng):
    from Cryptodome.Cipher import AES
    counter = rng.randrange(1 << 32).to_bytes(4, "little")
    address = bytes.fromhex(ADDRESS.replace(":", ""))
    cipher = AES.new(KEY, AES.MODE_CCM, nonce=address + b"\xd2\xfc\x41" + counter, mac_len=4)
    sealed, tag = cipher.encrypt_and_digest(bthome(rng))
    return b"\x41" + sealed + counter + tag


MIBEACON = [(0x1004, 2), (0x1006, 2), (0x1008, 1), (0x1009, 2), (0x100A, 1), (0x100D, 4), (0x1010, 2), (0x4C02, 1),
            (0x4C03, 1), (0x4802, 1), (0x4803, 1), (0x5003, 1), (0x1012, 1), (0x1014, 1), (0x1015, 1), (0x1018, 1),
            (0x4806, 1), (0x4A01, 1)]
REVERSED = bytes.fromhex(ADDRESS.replace(":", ""))[::-1]


def mibeacon(rng):
    return bytes.fromhex("5020aa01") + noise(rng, 1) + REVERSED + objects(rng, MIBEACON, 2)


def mibeacon_sealed(rng):
    from Cryptodome.Cipher import AES
    start = bytes.fromhex("58585b05") + noise(rng, 1)
    counter = rng.randrange(1 << 24).to_bytes(3, "little")
    cipher = AES.new(KEY, AES.MODE_CCM, nonce=REVERSED + start[2:5] + counter, mac_len=4)
    cipher.update(b"\x11")
    sealed, tag = cipher.encrypt_and_digest(objects(rng, MIBEACON, 2))
    return start + REVERSED + sealed + counter + tag


def fixed(start, count):
    return lambda rng: bytes.fromhex(start) + noise(rng, count)


# Table: group, peer, kind, identifier, payload, name, key.
GROUPS = {
    "bthome": ("bthome-ble", "s", 0xFCD2, lambda rng: b"\x40" + bthome(rng), "x", None),
    "bthome encrypted": ("bthome-ble", "s", 0xFCD2, bthome_sealed, "x", KEY),
    "ruuvi 3": ("ruuvitag-ble", "m", 0x0499, fixed("03", 13), "x", None),
    "ruuvi 5": ("ruuvitag-ble", "m", 0x0499, fixed("05", 23), "x", None),
    "ruuvi 6": ("ruuvitag-ble", "m", 0x0499, fixed("06", 19), "x", None),
    "ruuvi E1": ("ruuvitag-ble", "m", 0x0499, fixed("E1", 39), "x", None),
    "mibeacon": ("xiaomi-ble", "s", 0xFE95, mibeacon, "x", None),
    "mibeacon encrypted": ("xiaomi-ble", "s", 0xFE95, mibeacon_sealed, "x", KEY),
    "T ruuvi 5": ("TheengsDecoder", "m", 0x0499, fixed("05", 23), "x", None),
    "T ibeacon": ("TheengsDecoder", "m", 0x004C, fixed("0215", 21), "x", None),
    "T atc1441": ("TheengsDecoder", "s", 0x181A, fixed("a4c138", 10), "ATC_0283F4", None),
    "T pvvx": ("TheengsDecoder", "s", 0x181A, lambda rng: noise(rng, 3) + bytes.fromhex("38c1a4") + noise(rng, 9),
               "ATC_0283F4", None),
    "T govee h5075": ("TheengsDecoder", "m", 0xEC88, fixed("00", 5), "GVH5075_1234", None),
    "T govee h5074": ("TheengsDecoder", "m", 0xEC88, fixed("00", 6), "Govee_H5074_1234", None),
    "T inkbird": ("TheengsDecoder", "m", None, lambda rng: noise(rng, 9), "sps", None),
    "T thermopro": ("TheengsDecoder", "m", None, lambda rng: b"\xc2" + noise(rng, 5), "TP357 (1234)", None),
    "T switchbot": ("TheengsDecoder", "s", 0xFD3D, fixed("69", 5), "x", None),
    "T miscale 2": ("TheengsDecoder", "s", 0x181B, lambda rng: b"\x02" + rng.choice((b"\x26", b"\xa6")) + noise(rng, 11), "MIBFS", None),
    "T aranet4": ("TheengsDecoder", "m", 0x0702, fixed("21", 21), "Aranet4 1234", None),
    "T mopeka": ("TheengsDecoder", "m", 0x0059, fixed("03", 9), "x", None),
}


# ---- Peers

# Table: names of quantities that differ from ours. None: not compared, because it is derived or not a measurement.
NAMES = {
    "battery": "batteryLevel", "batt": "batteryLevel", "tempc": "temperature", "hum": "humidity", "volt": "voltage",
    "pres": "pressure", "co2": "carbonDioxide", "pm25": "particles2_5", "pm10": "particles10", "pm1": "particles1",
    "pm2_5": "particles2_5", "pm4": "particles4", "nox": "noxIndex", "voc": "vocIndex", "carbon_dioxide": "carbonDioxide",
    "volatile_organic_compounds": "volatileOrganicCompounds", "mass_non_stabilized": "mass", "weight": "mass",
    "conductivity": "conductivity", "distance_mm": "distance", "distance_m": "distance", "weighing": None,
    "tempf": None, "rssi": None, "signal_strength": None, "txpower": "calibratedPower", "tx": "transmitPower",
    "mov": "movementCount", "accx": "accelerationX", "accy": "accelerationY", "accz": "accelerationZ", "lux": "illuminance",
    "seq": None, "packet_id": None, "acceleration_total": None, "acceleration": "acceleration", "gyroscope": "angularVelocity",
    "acceleration_x": "accelerationX", "acceleration_y": "accelerationY", "acceleration_z": "accelerationZ",
    "movement_counter": "movementCount", "tx_power": "transmitPower", "idle_time": "duration", "light": "illuminance",
    "water_storage": "storedVolume", "volume_storage": "storedVolume", "volume_flow_rate": "volumeFlow",
    "uv_index": "uvIndex", "dew_point": "dewPoint", "rotational_speed": "rotationalSpeed", "pm_10": "particles10",
    "pm_25": "particles2_5", "window": "opening", "packet": None, "cidc": None, "acts": None, "track": None,
    "cont": None, "extprobe": None, "batt_low": None, "iaqs": None, "lvl_cm": None, "lvl_in": None, "prmacs": None,
}
# Table: our value times this factor may be the peer's value, because the peer uses another unit.
FACTORS = {
    "acceleration": (1, 9.80665, 1000), "accelerationX": (1, 1000, 9.80665), "accelerationY": (1, 1000, 9.80665),
    "accelerationZ": (1, 1000, 9.80665), "voltage": (1, 1000), "distance": (1, 1000), "energy": (1, 1000),
    "pressure": (1, 100), "volume": (1, 1000), "current": (1, 1000), "duration": (1, 1 / 60),
    "formaldehyde": (1, 1 / 1000),
}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


class HomeAssistant:
    """A decoder of Home Assistant: bthome-ble, ruuvitag-ble or xiaomi-ble."""

    def __init__(self, peer):
        self.peer = peer
        self.time = 1000.0

    def parser(self, key):
        if self.peer == "bthome-ble":
            from bthome_ble import BTHomeBluetoothDeviceData
            return BTHomeBluetoothDeviceData(bindkey=key)
        if self.peer == "xiaomi-ble":
            from xiaomi_ble import XiaomiBluetoothDeviceData
            return XiaomiBluetoothDeviceData(bindkey=key)
        from ruuvitag_ble import RuuvitagBluetoothDeviceData
        return RuuvitagBluetoothDeviceData()

    def decode(self, kind, identifier, payload, name, key):
        from bleak.backends.device import BLEDevice
        from bleak.backends.scanner import AdvertisementData
        from habluetooth import BluetoothServiceInfoBleak
        self.time += 1
        manufacturer = {identifier: payload} if kind == "m" else {}
        service = {f"0000{identifier:04x}-0000-1000-8000-00805f9b34fb": payload} if kind == "s" else {}
        information = BluetoothServiceInfoBleak(
            name, ADDRESS, -60, manufacturer, service, [], "local", BLEDevice(ADDRESS, name, {}),
            AdvertisementData(name, manufacturer, service, [], None, -60, ()), True, self.time, None)
        update = self.parser(key).update(information)
        values = [(item.key, value.native_value) for item, value in update.entity_values.items()]
        return values + [("state." + item.key, value.native_value) for item, value in update.binary_entity_values.items()]


class Theengs:
    def decode(self, kind, identifier, payload, name, key):
        from TheengsDecoder import decodeBLE
        message = {"id": ADDRESS, "name": name, "rssi": -60}
        if kind == "m":
            message["manufacturerdata"] = (identifier.to_bytes(2, "little") + payload).hex()
        else:
            message["servicedata"], message["servicedatauuid"] = payload.hex(), f"{identifier:04x}"
        answer = decodeBLE(json.dumps(message))
        return list(json.loads(answer).items()) if answer else []


# ---- Comparison

def parse(line):
    """Our values: measurements by quantity, states by kind; or a reason."""
    if line.startswith(("failure", "unknown")):
        return None, re.sub(r"[(:].*", "", line)
    numbers, states = collections.defaultdict(list), {}
    for part in line.split(";"):
        name, value = part.rsplit("=", 1)
        quantity, unit = name.split("/")
        if quantity == "state":
            states.setdefault(unit, []).append(value == "1")
        elif quantity != "format":
            numbers[quantity].append(float(value))
    return numbers, states


def disagreements(line, values):
    numbers, states = parse(line)
    if numbers is None:
        useful = [name for name, value in values if isinstance(value, (int, float)) and NAMES.get(name, name)]
        return {f"refused ({states})"} if useful else set()
    found = set()
    for name, value in values:
        if name.startswith("state.") or isinstance(value, bool):
            kind = NAMES.get(name, camel(name.removeprefix("state.")))
            if value is not None and kind and not any(bool(value) in given for given in states.values()):
                found.add(f"state {kind}")
            continue
        if value is None or not isinstance(value, (int, float)):
            continue
        # bthome-ble numbers several values of one quantity.
        name = re.sub(r"(?<=[a-z])_[1-9]$", "", name)
        quantity = NAMES.get(name, camel(name))
        if quantity is None:
            continue
        ours = numbers.get(quantity)
        if not ours:
            found.add(f"{quantity} missing")
            continue
        for place, mine in enumerate(ours):
            if any(abs(mine * factor - value) <= 0.0051 * max(1, abs(value) / 1000)
                   for factor in FACTORS.get(quantity, (1,))):
                del ours[place]
                break
        else:
            found.add(f"{quantity} differs")
    return found


def run(task):
    """Compares one chunk. Returns the classes with their counts and an example each."""
    program, group, count, seed = task
    peer, kind, identifier, make, name, key = GROUPS[group]
    decoder = Theengs() if peer == "TheengsDecoder" else HomeAssistant(peer)
    rng = random.Random(f"{group} {seed}")
    lines, theirs = [], []
    for _ in range(count):
        payload, number = make(rng), identifier
        if number is None:
            number, payload = int.from_bytes(payload[:2], "little"), payload[2:]
        lines.append(f"{kind} {number:04x} {payload.hex()} {ADDRESS} {name.replace(' ', '_')} {key.hex() if key else '-'}")
        try:
            theirs.append(decoder.decode(kind, number, payload, name, key))
        except Exception as error:  # A decoder that raises is a disagreement, too.
            theirs.append([("raised " + type(error).__name__, 0)])
    answers = subprocess.run(
        [program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answers) == count, f"{len(answers)} answers to {count} lines"
    found, examples = collections.Counter(), {}
    decoded = sum(bool(values) for values in theirs)
    for line, answer, values in zip(lines, answers, theirs):
        for entry in disagreements(answer, values):
            found[entry] += 1
            examples.setdefault(entry, f"{line.split()[2]}: {answer} | {values}")
    return group, decoded, found, examples


def listed():
    """The classes in docs/values.md: rows of the table that begins with the heading of disagreements."""
    text = PAGE.read_text().partition("## Disagreements with other decoders")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("|")]
    return {(row[0], row[1]) for row in rows[2:]}


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    groups = sys.argv[3:] or list(GROUPS)
    tasks = [(program, group, min(CHUNK, count - start), start) for group in groups for start in range(0, count, CHUNK)]
    decoded, found, examples = collections.Counter(), collections.defaultdict(collections.Counter), {}
    with multiprocessing.Pool() as pool:
        for group, useful, classes, some in pool.imap_unordered(run, tasks):
            decoded[group] += useful
            found[group] += classes
            for entry, example in some.items():
                examples.setdefault((group, entry), example)
    known, failed = listed(), False
    for group in groups:
        rows = ", ".join(f"{entry}: {number}" for entry, number in sorted(found[group].items())) or "none"
        print(f"{group}: {count} payloads, {GROUPS[group][0]} decodes {decoded[group]}; disagreements: {rows}")
        # A peer that decodes nothing compares nothing.
        if decoded[group] < count / 50:
            print(f"  {GROUPS[group][0]} decodes too few payloads of {group}")
            failed = True
        for entry in sorted(found[group]):
            if (group, entry) not in known:
                print(f"  not listed in docs/values.md: {group} | {entry}\n    {examples[group, entry][:300]}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
