"""Compares decoded advertisements with the decoders on PyPI that scripts/test-values-peers installs.

peers.py PROGRAM [COUNT [GROUP …]]   PROGRAM is decode-lines; COUNT payloads a group (default 100,000), with a fixed seed

Every value of a peer must be among our values of the same quantity. A disagreement has a class: group, quantity and kind.
docs/values.md lists the classes with the specification's verdict. The comparison fails if a class is not listed.
"""

import collections
import enum
import importlib
import json
import logging
import multiprocessing
import pathlib
import random
import re
import subprocess
import sys

from payloads import ADDRESS, GROUPS

logging.disable(logging.CRITICAL)
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/values.md"
CHUNK = 5000


# ---- Peers

# Table: names of quantities that differ from ours. None: not compared, because it is derived or not a measurement.
NAMES = {
    "battery": "batteryLevel", "batt": "batteryLevel", "tempc": "temperature", "hum": "humidity", "volt": "voltage",
    "pres": "pressure", "co2": "carbonDioxide", "pm25": "particles2_5", "pm10": "particles10", "pm1": "particles1",
    "pm2_5": "particles2_5", "pm4": "particles4", "nox": "noxIndex", "voc": "vocIndex", "carbon_dioxide": "carbonDioxide",
    "volatile_organic_compounds": "volatileOrganicCompounds", "mass_non_stabilized": None, "weight": "mass",
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
    "temperature_probe": "probeTemperature", "humidity_probe": "humidity", "internal_temperature_probe": "probeTemperature",
    "internal_center_temperature_probe": "probeTemperature", "internal_end_temperature_probe": "probeTemperature",
    "ambient_temperature_probe": "temperature", "battery_probe": None, "battery_voltage": "voltage",
    "tank_level": "level", "reading_quality": None, "reading_quality_raw": "quality", "accelerometer_x": None,
    "accelerometer_y": None, "time": "duration", "number_of_sectors": None, "sector_timer": None, "counter": "count",
    "sound_pressure": "soundInstant", "consumable": "level", "profile_id": None, "impedance_low": "impedance",
    "impedance_high": "impedance", "pressure_present_duration": "duration", "duration_detected": "duration",
    "pressure_not_present_duration": "duration", "duration_cleared": "duration", "key_id": None,
    "moi": "moisture", "gravity": "specificGravity", "encr": None,
}
# Table: names of states that differ from ours. Others have the same name.
STATES = {
    "lock": "unlocked", "bottom_submersion": "moisture", "top_splash": "moisture", "toothbrush": "running",
    "battery": "batteryLow", "stabilized": "stable", "weight_removed": "loadRemoved", "brushing": "running",
    "button_pressed": "button", "present": "occupancy", "occupancy_close_range": "occupancy", "lid": "opening",
    "left_open": "problem", "door_left_open": None, "door_stuck": None, "knock_on_the_door": None,
    "pry_the_door": None, "device_forcibly_removed": None, "childlock": None, "antilock": None, "fingerprint": None,
    "asleep": None, "wearing": None, "track": None, "acts": None, "cidc": None, "extprobe": None, "batt_low": None,
    "sync": "button", "cont": None, "weighing": None, "prmacs": None, "prmac": None, "unlocked": None,
}
# Table: quantities and states that are a special case of another one for us.
SPECIAL = {"temperature": "bodyTemperature", "occupancy": "inUse"}
# Table: our value times this factor may be the peer's value, because the peer uses another unit.
FACTORS = {
    "acceleration": (1, 9.80665, 1000), "accelerationX": (1, 1000, 9.80665), "accelerationY": (1, 1000, 9.80665),
    "accelerationZ": (1, 1000, 9.80665), "voltage": (1, 1000), "distance": (1, 1000), "energy": (1, 1000),
    "pressure": (1, 100), "volume": (1, 1000), "current": (1, 1000), "duration": (1, 1 / 60),
    "formaldehyde": (1, 1 / 1000), "yieldToday": (1, 1 / 1000),
}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


# Table: the decoders of Home Assistant: module and class.
HOME_ASSISTANT = {
    "bthome-ble": ("bthome_ble", "BTHomeBluetoothDeviceData"),
    "xiaomi-ble": ("xiaomi_ble", "XiaomiBluetoothDeviceData"),
    "ruuvitag-ble": ("ruuvitag_ble", "RuuvitagBluetoothDeviceData"),
    "govee-ble": ("govee_ble", "GoveeBluetoothDeviceData"),
    "inkbird-ble": ("inkbird_ble", "INKBIRDBluetoothDeviceData"),
    "thermopro-ble": ("thermopro_ble", "ThermoProBluetoothDeviceData"),
    "qingping-ble": ("qingping_ble", "QingpingBluetoothDeviceData"),
    "sensirion-ble": ("sensirion_ble", "SensirionBluetoothDeviceData"),
    "mopeka-iot-ble": ("mopeka_iot_ble", "MopekaIOTBluetoothDeviceData"),
    "oralb-ble": ("oralb_ble", "OralBBluetoothDeviceData"),
    "tilt-ble": ("tilt_ble", "TiltBluetoothDeviceData"),
}
# The services that some decoders need beside the payload.
SERVICES = [f"0000{number}-0000-1000-8000-00805f9b34fb" for number in ("fff0", "fee5")]


class HomeAssistant:
    """A decoder of Home Assistant."""

    def __init__(self, peer):
        module, name = HOME_ASSISTANT[peer]
        self.type = getattr(importlib.import_module(module), name)
        self.hasKey = peer in ("bthome-ble", "xiaomi-ble")
        self.time = 1000.0

    def decode(self, kind, identifier, payload, name, key, address=ADDRESS):
        from bleak.backends.device import BLEDevice
        from bleak.backends.scanner import AdvertisementData
        from habluetooth import BluetoothServiceInfoBleak
        self.time += 1
        manufacturer = {identifier: payload} if kind == "m" else {}
        service = {f"0000{identifier:04x}-0000-1000-8000-00805f9b34fb": payload} if kind == "s" else {}
        information = BluetoothServiceInfoBleak(
            name, address, -60, manufacturer, service, SERVICES, "local", BLEDevice(address, name, {}),
            AdvertisementData(name, manufacturer, service, SERVICES, None, -60, ()), True, self.time, None)
        update = (self.type(bindkey=key) if self.hasKey else self.type()).update(information)
        values = [(item.key, value.native_value) for item, value in update.entity_values.items()]
        values += [("state." + item.key, value.native_value) for item, value in update.binary_entity_values.items()]
        return values + [("event", event.event_type) for event in update.events.values() if event]


class Aranet:
    """The client aranet4. It reports -1 instead of a value that is missing."""

    FACTORS = {"radiation_rate": 0.001, "radiation_total": 0.001}
    NAMES = {
        "radiation_rate": "radiationDoseRate", "radiation_total": "radiationDose", "radiation_duration": "duration",
        "radon_concentration": "radon", "co2": "carbonDioxide",
    }

    def decode(self, kind, identifier, payload, name, key, address=ADDRESS):
        from aranet4.client import Aranet4Advertisement
        from bleak.backends.device import BLEDevice
        from bleak.backends.scanner import AdvertisementData
        data = AdvertisementData(name, {identifier: payload}, {}, [], None, -60, ())
        readings = Aranet4Advertisement(BLEDevice(address, name, {}), data).readings
        fields = ("temperature", "humidity", "pressure", "battery", *self.NAMES)
        values = [(field, getattr(readings, field)) for field in fields] if readings else []
        return [(self.NAMES.get(field, field), value * self.FACTORS.get(field, 1)) for field, value in values if value != -1]


class Victron:
    """victron-ble. It refuses the numbers of modes and errors that it does not know."""

    NAMES = {
        "voltage": {"battery_voltage", "output_voltage", "output_voltage1", "output_voltage2", "output_voltage3"},
        "auxiliaryVoltage": {"starter_voltage", "input_voltage", "ac_voltage"},
        "midpointVoltage": {"midpoint_voltage"},
        "current": {"battery_current", "battery_charging_current", "external_device_load", "output_current", "ac_current",
                    "output_current1", "output_current2", "output_current3", "input_current"},
        "power": {"solar_power", "ac_apparent_power", "active_ac_in_power", "active_ac_out_power", "pv_power",
                  "ac_in_power", "ac_out_power"},
        "temperature": {"battery_temperature"}, "stateOfCharge": {"soc"}, "consumedCharge": {"consumed_ah"},
        "timeRemaining": {"remaining_mins"}, "yieldToday": {"yield_today"},
    }

    def decode(self, kind, identifier, payload, name, key, address=ADDRESS):
        from victron_ble.devices import detect_device_type
        try:
            parsed = detect_device_type(payload)(key.hex()).parse(payload)._data
        except ValueError:
            return []
        names = {theirs: ours for ours, group in self.NAMES.items() for theirs in group}
        names |= {"voltage": "voltage", "current": "current"}
        values = [(names[field], value) for field, value in parsed.items()
                  if field in names and isinstance(value, (int, float)) and not isinstance(value, enum.Enum)]
        values += [("auxiliaryVoltage", value) for value in parsed.get("cell_voltages", []) if value is not None]
        kelvin = parsed.get("temperature_kelvin")
        return values + ([("temperature", kelvin - 273.15)] if kelvin else [])


class SwitchBot:
    """The parser of meters in PySwitchbot."""

    def decode(self, kind, identifier, payload, name, key, address=ADDRESS):
        from switchbot.adv_parsers.meter import process_wosensorth
        values = process_wosensorth(payload, None) if kind == "s" else process_wosensorth(None, payload)
        return [(field, values[field]) for field in ("temperature", "humidity", "battery") if values.get(field) is not None]


class Theengs:
    def decode(self, kind, identifier, payload, name, key, address=ADDRESS):
        from TheengsDecoder import decodeBLE
        message = {"id": address, "name": name, "rssi": -60}
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
        elif quantity == "format":
            numbers["event"] = [float(value)]
        else:
            numbers[quantity].append(float(value))
    return numbers, states


def disagreements(line, values):
    numbers, states = parse(line)
    if numbers is None:
        useful = [name for name, value in values if isinstance(value, (int, float)) and NAMES.get(name, name)]
        return {f"refused ({states})"} if useful else set()
    found = set()
    for name, value in values:
        if name == "event":
            if numbers["event"][0] == 0:
                found.add(f"event {value} missing")
            continue
        if name.startswith("state.") or isinstance(value, bool):
            name = name.removeprefix("state.")
            kind = STATES.get(name, camel(name))
            given = states.get(kind, []) + states.get(SPECIAL.get(kind), [])
            if value is not None and kind and bool(value) not in given:
                found.add(f"state {kind} {'differs' if given else 'missing'}")
            continue
        if value is None or not isinstance(value, (int, float)) or value != value:
            continue
        # bthome-ble numbers several values of one quantity.
        name = re.sub(r"(?<=[a-z])_[1-9]$", "", name) if name not in NAMES else name
        quantity = NAMES.get(name, camel(name))
        if quantity is None:
            continue
        ours = numbers.get(quantity) or numbers.get(SPECIAL.get(quantity))
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
    decoders = {"TheengsDecoder": Theengs, "aranet4": Aranet, "victron-ble": Victron, "PySwitchbot": SwitchBot}
    decoder = decoders[peer]() if peer in decoders else HomeAssistant(peer)
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
