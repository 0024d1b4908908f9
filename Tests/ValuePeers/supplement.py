"""Compares the factors and units of characteristics with the GATT Specification Supplement, as the package bluetooth-sig has it.

supplement.py PROGRAM   PROGRAM is decode-lines, which prints our structures

The supplement contradicts itself in places. docs/values.md lists them with the decision. The comparison fails at another one, and
if a field has no counterpart.
"""

import collections
import importlib.util
import pathlib
import re
import subprocess
import sys

import yaml

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/values.md"
DATA = pathlib.Path(importlib.util.find_spec("bluetooth_sig").origin).parent / "bluetooth_sig"
# Table: units of the supplement and ours. A number is the size of ours, if it is another one. Some names are misspelt there.
UNITS = {names[0]: {name.partition("=")[0]: float(name.partition("=")[2] or 1) for name in names[1:]} for names in map(str.split, """
acceleration.metres_per_seconds_squared metrePerSecondSquared | angular_velocity.revolution_per_minute perMinute
concentration.count_per_cubic_metre perCubicMetre | concentration.parts_per_billion partsPerBillion
concentration.parts_per_million partsPerMillion | density.kilogram_per_cubic_meter kilogramPerCubicMetre
density.kilogram_per_litre kilogramPerLitre | density.mole_per_litre molePerLitre | electric_current.ampere ampere
electric_potential_difference.volt volt | electric_resistance.ohm ohm | electrical_apparent_energy.kilovolt_ampere_hour kilovoltAmpereHour
electrical_apparent_power.volt_ampere voltAmpere | energy.joule joule kilojoule=1000 | energy.kilogram_calorie kilocalorie
energy.kilowatt_hour kilowattHour | flow.cubic_metre_per_second litrePerSecond=0.001 | force.newton newton | hertz hertz
frequency.hertz hertz | illuminance.lumen lumen | illuminance.lux lux | irradiance.watt_per_square_metre wattPerSquareMetre
kelvin_per_second kelvinPerSecond | kilogram_per_square_metre kilogramPerSquareMetre | length.meter metre | length.metre metre
length.inch inch | logarithmic_radio_quantity.decibel decibelMilliwatt | luminous_efficacy.lumen_per_watt lumenPerWatt
luminous_energy.lumen_per_hour lumenHour | luminous_exposure.lux_hour luxHour | luminous_flux.lumen lumen
luminous_intensity.candela candela | magnetic_flux_density.tesla tesla | mass.kilogram kilogram gram=0.001 | mass.pound pound
mass_density.kilogram_per_liter kilogramPerLitre | mass_flow.gram_per_second gramPerSecond | metabolic_equivalent metabolicEquivalent
moment_of_force.newton_metre newtonMetre | percentage percent | period.beats_per_minute beatsPerMinute | plane_angle.degree degree
plane_angle.radian radian | power.watt watt | ppb partsPerBillion | ppm partsPerMillion | pressure.pascal pascal kilopascal=1000
pressure.millimetre_of_mercury millimetreOfMercury | rotational_speed.revolutions_per_minute perMinute
sound_pressure.decibel_spl decibelOfSound | standard_acceleration_due_to_gravity standardGravity | step_per_minute perMinute
stroke_per_minute perMinute | thermodynamic_temperature.degree_celsius celsius | thermodynamic_temperature.degree_fahrenheit fahrenheit
thermodynamic_temperature.kelvin kelvin | time.day day | time.hour hour | time.minute minute | time.month none | time.second second
time.year year | transfer_rate.milliliter_per_kilogram_per_minute millilitrePerKilogramMinute | unitless none
velocity.kilometre_per_hour kilometrePerHour | velocity.metres_per_second metrePerSecond | volume.litre litre millilitre=0.001
volume_flow.litre_per_second litrePerSecond
""".replace("\n", "|").split("|")) if names}
NUMBER = r"(-? *\d+)"


def plain(name):
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\text\w+", "", name).lower())


def our_fields(program):
    """Returns the units and factors of our fields by UUID and name."""
    found = collections.defaultdict(set)
    for line in subprocess.run([program, "structures"], check=True, capture_output=True, text=True).stdout.splitlines():
        uuid, name, unit, factor = line.split("\t")
        found[int(uuid, 16), plain(name)].add((unit, float(factor)))
    return found


def their_fields():
    """Returns the UUID, the name, the units and the factors of each field of the supplement that has a unit or a factor."""
    uuids = {entry["id"]: entry["uuid"]
             for entry in yaml.safe_load((DATA / "assigned_numbers/uuids/characteristic_uuids.yaml").read_text())["uuids"]}
    for path in sorted((DATA / "gss").glob("*.yaml")):
        characteristic = yaml.safe_load(path.read_text())["characteristic"]
        for field in characteristic["structure"] if characteristic["identifier"] in uuids else []:
            text = field.get("description", "")
            units = {unit.rstrip(".") for unit in re.findall(r"org\.bluetooth\.unit\.\s*([\w.]+)", text)}
            factors = {int(m) * 10.0 ** int(d.replace(" ", "")) * 2.0 ** int(b.replace(" ", ""))
                       for m, d, b in re.findall(rf"M *= *(-?\d+) *, *d *= *{NUMBER} *,? *(?:and)? *b *= *{NUMBER}", text)}
            if units or factors:
                sentences = re.findall(r"(?:resolution (?:of|is)|[Uu]nit is(?: in)?) (\d+)(?:/(\d+)|(\.\d+)?)", text)
                factors = factors or {float(whole + rest) / float(divisor or 1) for whole, divisor, rest in sentences} or {1.0}
                yield uuids[characteristic["identifier"]], field["field"], units or {"unitless"}, factors


def decisions():
    """Returns the UUIDs and the names of fields, if there are some, of the rows about contradictions of the supplement."""
    table = PAGE.read_text().split("| The supplement says |")[1].split("\n\n")[0]
    for row in re.findall(r"^\| (.*?) \| (.*?) \|", table, re.M):
        yield re.findall(r"\b[0-9A-F]{4}\b", row[0]), row[1].split(":")[0].split(", ") if ":" in row[1] else [""]


def main():
    ours, listed, compared, unlisted = our_fields(sys.argv[1]), list(decisions()), 0, 0
    for uuid, name, units, factors in their_fields():
        short = name.split(" - ")[-1]
        bare = re.sub(r"\(.*\)", "", short)
        own = {pair for form in (name, short, bare, re.sub("Intermediate|Measurement|Value", "", bare)) for pair in ours[uuid, plain(form)]}
        sizes = {size * factor for unit in units for own_unit, factor in own for known, size in UNITS.get(unit, {}).items()
                 if known == own_unit}
        compared += 1
        if any(abs(size / factor - 1) < 1e-9 for size in sizes for factor in factors):
            continue
        is_listed = any(f"{uuid:04X}" in uuids and any(part in name for part in names) for uuids, names in listed)
        unlisted += not is_listed
        print(f"{'listed' if is_listed else 'NEW   '} {uuid:04X} {name}: {', '.join(sorted(units))} times {sorted(factors)}, ours "
              + (", ".join(f"{unit} times {factor}" for unit, factor in sorted(own)) or "has no such field"))
    print(f"{compared} fields of the supplement compared, {unlisted} contradictions that docs/values.md does not list")
    sys.exit(unlisted > 0 or compared == 0)


main()
