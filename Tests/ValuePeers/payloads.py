"""Random payloads of each format for peers.py."""

import struct

ADDRESS = "54:48:E6:8F:80:A5"
KEY = bytes.fromhex("231d39c1d7cc1ab1aee224cd096db932")


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


# Table: objects of MiBeacon with their length.
MIBEACON = [
    (0x0003, 1), (0x0006, 5), (0x0007, 1), (0x0008, 1), (0x000A, 2), (0x000B, 9), (0x000F, 3), (0x0010, 2), (0x1001, 3),
    (0x1004, 2), (0x1005, 2), (0x1006, 2), (0x1007, 3), (0x1008, 1), (0x1009, 2), (0x100A, 1), (0x100D, 4), (0x1010, 2),
    (0x1012, 1), (0x1013, 1), (0x1014, 1), (0x1015, 1), (0x1017, 4), (0x1018, 1), (0x1019, 1), (0x3003, 6), (0x4801, 4),
    (0x4802, 1), (0x4803, 1), (0x4804, 1), (0x4805, 4), (0x4806, 1), (0x4808, 4), (0x480C, 1), (0x4818, 2), (0x483C, 1),
    (0x483D, 4), (0x483E, 4), (0x484E, 1), (0x4851, 1), (0x4852, 1), (0x4A01, 1), (0x4A08, 4), (0x4A0C, 1), (0x4A0D, 1),
    (0x4A0E, 1), (0x4A0F, 1), (0x4A12, 1), (0x4A13, 1), (0x4A1A, 1), (0x4C01, 4), (0x4C02, 1), (0x4C03, 1), (0x4C08, 4),
    (0x4C14, 1), (0x4E01, 1), (0x4E0C, 1), (0x4E0D, 1), (0x4E0E, 1), (0x4E16, 9), (0x5003, 1), (0x560C, 1), (0x560D, 1),
    (0x560E, 1), (0x6E16, 9),
]
REVERSED = bytes.fromhex(ADDRESS.replace(":", ""))[::-1]


def product(rng):
    from xiaomi_ble.devices import DEVICE_TYPES
    return rng.choice(list(DEVICE_TYPES)).to_bytes(2, "little")


def mibeacon(rng):
    return bytes.fromhex("5020") + product(rng) + noise(rng, 1) + REVERSED + objects(rng, MIBEACON, 2)


def mibeacon_sealed(rng):
    from Cryptodome.Cipher import AES
    start = bytes.fromhex("5858") + product(rng) + noise(rng, 1)
    counter = rng.randrange(1 << 24).to_bytes(3, "little")
    cipher = AES.new(KEY, AES.MODE_CCM, nonce=REVERSED + start[2:5] + counter, mac_len=4)
    cipher.update(b"\x11")
    sealed, tag = cipher.encrypt_and_digest(objects(rng, MIBEACON, 2))
    return start + REVERSED + sealed + counter + tag


def fixed(start, count):
    return lambda rng: bytes.fromhex(start) + noise(rng, count)


def glued(start, count):
    """Data of a Govee thermometer with the iBeacon that some models append."""
    tail = b"\x4c\x00\x02\x15INTELLI_ROCKS_HWPu\xf2\xff\x0c"
    return lambda rng: bytes.fromhex(start) + noise(rng, count) + (tail if rng.random() < 0.3 else b"")


def long_probe(rng):
    """Data of a ThermoPro probe with three sensors, which send 54 more than the temperature in °F.

    The temperatures have no digits that thermopro-ble drops: tenths of a degree Celsius, and multiples of 5 °C outside.
    """
    sensors = struct.pack("<fff", *(rng.randrange(-300, 4000) / 10 * 9 / 5 + 86 for _ in range(3)))
    surroundings = (86 + 9 * rng.randrange(-8, 80)).to_bytes(2, "little")
    return rng.choice((b"\0", b"\1")) + surroundings + noise(rng, 2) + sensors + noise(rng, 6)


def qingping(rng):
    kinds = [(1, 4), (2, 1), (4, 1), (7, 2), (8, 4), (9, 4), (0x11, 1), (0x12, 4), (0x13, 2), (0x15, 2), (0x19, 1)]
    chosen = rng.sample(kinds, rng.randrange(1, 4))
    product = rng.choice((1, 4, 7, 9, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x33, 0x5D))
    return (rng.choice((b"\x08", b"\x48")) + bytes([product]) + REVERSED
            + b"".join(bytes([kind, count]) + noise(rng, count) for kind, count in chosen))


def sensirion(rng):
    kind = rng.choice((4, 6, 8))
    return bytes([0, kind]) + noise(rng, 8 if kind == 8 else 6)


def aranet(rng, start, count, status):
    """Random values, with the integration enabled and a status that the client accepts."""
    payload = bytearray(noise(rng, count))
    payload[:len(start)] = start
    payload[status] = rng.randrange(4)
    return bytes(payload)


def tilt(rng):
    color = rng.randrange(1, 9)
    # The client reads negative numbers, which a hydrometer cannot send.
    numbers = rng.randrange(200).to_bytes(2, "big") + rng.randrange(900, 12000).to_bytes(2, "big")
    return bytes.fromhex(f"0215a495bb{color}0c5b14b44b5121370f02d74de") + numbers + noise(rng, 1)


# Table: types of Victron records with their length and the bytes that victron-ble accepts only in part.
VICTRON = {
    0x01: (12, {0: (0, 3, 5, 255), 1: (0, 255)}), 0x02: (15, {4: (0,), 5: (0,)}), 0x03: (11, {0: (0, 9), 1: (0,), 2: (0,)}),
    0x04: (10, {0: (0, 4), 1: (0,), 6: (0,), 7: (0,), 8: (0,), 9: (0,)}), 0x05: (16, {}),
    0x08: (13, {0: (0, 3, 6), 1: (0, 255)}),
    0x09: (15, {0: (0, 249), 1: (1, 4), 2: (0,), 3: (0,), 4: (0,), 5: (0,), 6: (0,), 11: (0,), 12: (0,), 13: (0,), 14: (0,)}),
    0x0A: (16, {}), 0x0B: (14, {0: (0, 9), 1: (0,)}), 0x0C: (13, {0: (0, 3, 9), 1: (0,)}),
    0x0D: (11, {0: (0xFD, 0xFF), 1: (0xFF,), 8: (0, 2, 3)}),
    0x0F: (14, {0: (0, 4), 1: (0,), 10: (0,), 11: (0,), 12: (0,), 13: (0,)}),
}


def victron(rng):
    from Cryptodome.Cipher import AES
    from Cryptodome.Util import Counter
    record = rng.choice(list(VICTRON))
    count, limited = VICTRON[record]
    plain = bytearray(noise(rng, count))
    for place, allowed in limited.items():
        plain[place] = rng.choice(allowed)
    start = rng.randrange(1 << 16)
    cipher = AES.new(KEY, AES.MODE_CTR, counter=Counter.new(128, initial_value=start, little_endian=True))
    return b"\x10\x02\x89\xa3" + bytes([record]) + start.to_bytes(2, "little") + KEY[:1] + cipher.encrypt(bytes(plain))


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
    "miscale 1": ("xiaomi-ble", "s", 0x181D, lambda rng: rng.choice((b"\x22", b"\xa2", b"\x02")) + noise(rng, 9), "x", None),
    "miscale 2": ("xiaomi-ble", "s", 0x181B, lambda rng: b"\x02" + rng.choice((b"\x26", b"\xa6")) + noise(rng, 11), "x", None),
    "govee h5075": ("govee-ble", "m", 0xEC88, glued("00", 5), "GVH5075_1234", None),
    "govee h5074": ("govee-ble", "m", 0xEC88, glued("00", 6), "Govee_H5074_1234", None),
    "govee h5051": ("govee-ble", "m", 0xEC88, glued("00", 8), "x", None),
    "govee h5100": ("govee-ble", "m", 0x0001, glued("0101", 4), "GVH5100_1234", None),
    "govee h5108": ("govee-ble", "m", 0x0001, glued("0101", 6), "GV51081234", None),
    "govee h5112": ("govee-ble", "m", 0x0001, lambda rng: glued("0101", 5)(rng)[:7] + rng.choice((b"A", b"\x82")), "GV5112AC3D", None),
    "govee h5106": ("govee-ble", "m", 0x0001, glued("0101", 4), "GVH5106_1234", None),
    "govee h5140": ("govee-ble", "m", 0x0001, glued("0101", 6), "GV51401234", None),
    "govee h5178": ("govee-ble", "m", 0x0001, glued("0101", 7), "B5178D6FB", None),
    "govee h5179": ("govee-ble", "m", 0x8801, glued("ec000101", 5), "Govee_H5179_1234", None),
    "inkbird sps": ("inkbird-ble", "m", None, lambda rng: noise(rng, 9), "sps", None),
    "inkbird tps": ("inkbird-ble", "m", None, lambda rng: noise(rng, 9), "tps", None),
    "inkbird ith": ("inkbird-ble", "m", None, lambda rng: noise(rng, 18), "ITH-11-B", None),
    "inkbird bbq": ("inkbird-ble", "m", None, lambda rng: noise(rng, rng.choice((12, 14, 18, 22))), "iBBQ", None),
    "thermopro": ("thermopro-ble", "m", None, lambda rng: b"\xc2" + noise(rng, rng.choice((5, 6))), "TP357S (1234)", None),
    "thermopro probe": (
        "thermopro-ble", "m", None, lambda rng: rng.choice((b"\0", b"\1")) + noise(rng, rng.choice((6, 12))),
        "TP960R (0000)", None),
    "thermopro long probe": ("thermopro-ble", "m", None, long_probe, "TP972S", None),
    "switchbot": ("PySwitchbot", "s", 0xFD3D, lambda rng: rng.choice((b"T", b"i", b"w")) + noise(rng, 5), "x", None),
    "switchbot hub": ("PySwitchbot", "m", 0x0969, lambda rng: noise(rng, 11), "x", None),
    "qingping": ("qingping-ble", "s", 0xFDCD, qingping, "x", None),
    "sensirion": ("sensirion-ble", "m", 0x06D5, sensirion, "x", None),
    "aranet4": ("aranet4", "m", 0x0702, lambda rng: aranet(rng, b"\x21", 22, 16), "Aranet4 1234", None),
    "aranet2": ("aranet4", "m", 0x0702, lambda rng: aranet(rng, b"\x01\x21", 24, 18), "Aranet2 1234", None),
    "aranet radiation": ("aranet4", "m", 0x0702, lambda rng: aranet(rng, b"\x02\x21", 24, 18), "Aranet\u2622 1234", None),
    "aranet radon": ("aranet4", "m", 0x0702, lambda rng: aranet(rng, b"\x03\x21", 24, 18), "AranetRn+ 1234", None),
    "oralb": ("oralb-ble", "m", 0x00DC, lambda rng: noise(rng, rng.choice((9, 11))), "x", None),
    "mopeka": ("mopeka-iot-ble", "m", 0x0059, lambda rng: bytes([rng.choice((3, 4, 5, 8, 12))]) + noise(rng, 9), "x", None),
    "tilt": ("tilt-ble", "m", 0x004C, tilt, "x", None),
    "victron": ("victron-ble", "m", 0x02E1, victron, "x", KEY),
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
