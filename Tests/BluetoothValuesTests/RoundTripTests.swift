import Testing

@testable import BluetoothValues

/// The number of random values in each test. Set VALUES_ROUNDS for a long run.
let rounds = ProcessEnvironment.number("VALUES_ROUNDS") ?? 2000

/// The number of random values of each structure of a characteristic.
let structureRounds = ProcessEnvironment.number("VALUES_ROUNDS") ?? 40

/// Makes random sections that one format accepts.
struct FormatGenerator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let roundTrip: @Sendable (inout SplitMix) -> String?
    /// Makes a section that the format may accept.
    let section: @Sendable (inout SplitMix) -> AdvertisedSection

    /// A format whose payloads are random bytes after a start.
    init<Format: AdvertisementFormat>(
        _ type: Format.Type, _ description: String, sender: Sender = FormatGenerator.sender,
        section: @escaping @Sendable (inout SplitMix) -> AdvertisedSection
    ) {
        testDescription = description
        self.section = section
        roundTrip = { random in
            let given = section(&random)
            // A random payload may have a forbidden value; it then has no reading.
            guard let value = try? Format(given, from: sender) else { return nil }
            do {
                let encoded = try value.section(from: sender)
                guard Format.matches(encoded, name: value.requiredName) else { return "no match: \(encoded)" }
                let name = value.requiredName ?? sender.name
                let again = try Format(encoded, from: Sender(address: sender.address, name: name, key: sender.key))
                guard again == value else { return "\(value) became \(again)" }
                return again.reading == value.reading ? "" : "the readings differ: \(value)"
            } catch {
                return "\(error) for \(value)"
            }
        }
    }

    static let sender = Sender(
        address: "A4:C1:38:02:83:F4", key: DeviceKey([UInt8](repeating: 7, count: 16)))

    private static func named(_ name: String) -> Sender { Sender(address: sender.address, name: name, key: sender.key) }

    private static func bytes(
        _ kind: AdvertisedSection.Kind, _ identifier: UInt16, _ count: Int, start: [UInt8] = []
    ) -> @Sendable (inout SplitMix) -> AdvertisedSection {
        { random in
            var bytes = start + random.bytes(count - start.count)
            // Fields of ones and zeros are limits and absent values.
            if random.next() % 2 == 0 {
                let first = start.count + random.edge(below: count - start.count)
                let end = min(count, first + 1 + random.edge(below: 4))
                let filler: UInt8 = [0, 0xFF, 0x7F, 0x80][random.edge(below: 4)]
                for index in first..<end { bytes[index] = filler }
            }
            return AdvertisedSection(kind, identifier, bytes)
        }
    }

    private static func govee(
        _ family: String, _ company: UInt16, _ start: [UInt8], _ count: Int, name: String? = nil
    ) -> FormatGenerator {
        let sender = Sender(address: sender.address, name: name, key: sender.key)
        return FormatGenerator(
            Govee.self, "govee " + family, sender: sender, section: bytes(.manufacturer, company, count, start: start))
    }

    static let all: [FormatGenerator] = fixed + lists

    private static let fixed: [FormatGenerator] = [
        FormatGenerator(RuuviTag.self, "ruuvi 3", section: bytes(.manufacturer, 0x0499, 14, start: [3])),
        FormatGenerator(RuuviTag.self, "ruuvi 5", section: bytes(.manufacturer, 0x0499, 24, start: [5])),
        FormatGenerator(RuuviTag.self, "ruuvi 6", section: bytes(.manufacturer, 0x0499, 20, start: [6])),
        FormatGenerator(RuuviTag.self, "ruuvi E1", section: bytes(.manufacturer, 0x0499, 40, start: [0xE1])),
        FormatGenerator(IBeacon.self, "ibeacon", section: bytes(.manufacturer, 0x004C, 23, start: [2, 0x15])),
        FormatGenerator(Tilt.self, "tilt") { random in
            let color = UInt8(random.next() % 8 + 1)
            let uuid = AttributeUUID(high: 0xA495_BB00_C5B1_4B44 | UInt64(color) << 36, low: 0xB512_1370_F02D_74DE)
            return .manufacturer(0x004C, [2, 0x15] + uuid.bytes + random.bytes(5))
        },
        FormatGenerator(AltBeacon.self, "altbeacon", section: bytes(.manufacturer, 0x0118, 24, start: [0xBE, 0xAC])),
        FormatGenerator(Eddystone.self, "eddystone uid", section: bytes(.service, 0xFEAA, 20, start: [0])),
        FormatGenerator(Eddystone.self, "eddystone tlm", section: bytes(.service, 0xFEAA, 14, start: [0x20, 0])),
        FormatGenerator(Eddystone.self, "eddystone etlm", section: bytes(.service, 0xFEAA, 18, start: [0x20, 1])),
        FormatGenerator(Eddystone.self, "eddystone eid", section: bytes(.service, 0xFEAA, 10, start: [0x30])),
        FormatGenerator(Eddystone.self, "eddystone url") { random in
            let text = (0..<random.edge(below: 14)).map { _ in
                random.next() % 3 == 0 ? random.byte() % 14 : 0x21 + random.byte() % 94
            }
            return .service(0xFEAA, [0x10, random.byte(), random.byte() % 4] + text)
        },
        FormatGenerator(ATC1441.self, "atc1441", section: bytes(.service, 0x181A, 13)),
        FormatGenerator(PVVX.self, "pvvx", section: bytes(.service, 0x181A, 15)),
        FormatGenerator(BParasite.self, "b-parasite 1", section: bytes(.service, 0x181A, 18, start: [0x11])),
        FormatGenerator(BParasite.self, "b-parasite 2", section: bytes(.service, 0x181A, 18, start: [0x21])),
        FormatGenerator(BParasite.self, "b-parasite dark", section: bytes(.service, 0x181A, 16, start: [0x20])),
        govee("h5075", 0xEC88, [0], 6),
        govee("h5074", 0xEC88, [0], 7),
        govee("h5051", 0xEC88, [0], 9),
        govee("h5100", 0x0001, [1, 1], 6, name: "GVH5100"),
        govee("h5106", 0x0001, [1, 1], 6, name: "GVH5106"),
        govee("h5108", 0x0001, [1, 1], 8, name: "GV5108"),
        govee("h5140", 0x0001, [1, 1], 8, name: "GV5140"),
        govee("h5178", 0x0001, [1, 1], 9),
        govee("h5179", 0x8801, [0xEC, 0], 9),
        FormatGenerator(Govee.self, "govee h5112", sender: named("GV5112")) { random in
            .manufacturer(1, [1, 1] + random.bytes(5) + [random.next() % 2 == 0 ? 0x41 : 0x82])
        },
        FormatGenerator(Inkbird.self, "inkbird sps") { random in WholeManufacturerData.split(random.bytes(9)) },
        FormatGenerator(Inkbird.self, "inkbird tps", sender: named("tps")) { random in
            WholeManufacturerData.split(random.bytes(9))
        },
        FormatGenerator(Inkbird.self, "inkbird ith", sender: named("ITH-11-B")) { random in
            WholeManufacturerData.split(random.bytes(18))
        },
        FormatGenerator(Inkbird.self, "inkbird bbq", sender: named("iBBQ")) { random in
            WholeManufacturerData.split(random.bytes([12, 14, 18, 22][random.edge(below: 4)]))
        },
        FormatGenerator(ThermoPro.self, "thermopro") { random in
            WholeManufacturerData.split(random.bytes(6 + random.edge(below: 2)))
        },
        FormatGenerator(ThermoPro.self, "thermopro probe", sender: named("TP960R (0000)")) { random in
            WholeManufacturerData.split(random.bytes(random.next() % 2 == 0 ? 7 : 13))
        },
        FormatGenerator(ThermoPro.self, "thermopro long probe", sender: named("TP972S")) { random in
            let temperatures = (0..<3).flatMap { _ -> [UInt8] in
                let bits = Float(Double(random.next() % 100_000) / 100).bitPattern
                return (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32($0 * 8)) }
            }
            let start = random.bytes(5)
            return WholeManufacturerData.split(start + temperatures + random.bytes(6))
        },
        FormatGenerator(ThermoPro.self, "thermopro random long probe", sender: named("TP972S")) { random in
            WholeManufacturerData.split(random.bytes(23))
        },
        FormatGenerator(SwitchBot.self, "switchbot manufacturer", section: bytes(.manufacturer, 0x0969, 11)),
        FormatGenerator(SwitchBot.self, "switchbot outdoor", section: bytes(.manufacturer, 0x0969, 12)),
        FormatGenerator(SwitchBot.self, "switchbot gas") { random in
            .manufacturer(0x0969, random.bytes(13) + [random.byte() % 64] + random.bytes(random.edge(below: 4)))
        },
        FormatGenerator(SwitchBot.self, "switchbot battery", section: bytes(.service, 0xFD3D, 3, start: [0x77])),
        FormatGenerator(SwitchBot.self, "switchbot service", section: bytes(.service, 0xFD3D, 6, start: [0x69])),
        FormatGenerator(MiScale.self, "miscale 1", section: bytes(.service, 0x181D, 10)),
        FormatGenerator(MiScale.self, "miscale 2", section: bytes(.service, 0x181B, 13)),
        FormatGenerator(Aranet.self, "aranet4", section: bytes(.manufacturer, 0x0702, 22)),
        FormatGenerator(Aranet.self, "aranet2", section: bytes(.manufacturer, 0x0702, 24, start: [1])),
        FormatGenerator(Aranet.self, "aranet radiation", section: bytes(.manufacturer, 0x0702, 24, start: [2])),
        FormatGenerator(Aranet.self, "aranet radon", section: bytes(.manufacturer, 0x0702, 24, start: [3])),
        FormatGenerator(OralB.self, "oralb 11", section: bytes(.manufacturer, 0x00DC, 11)),
        FormatGenerator(OralB.self, "oralb 9", section: bytes(.manufacturer, 0x00DC, 9)),
        FormatGenerator(Mopeka.self, "mopeka", section: bytes(.manufacturer, 0x0059, 10, start: [3])),
    ]

    private static let lists: [FormatGenerator] =
        Victron.records.keys.sorted().map { record in
            FormatGenerator(Victron.self, "victron \(record)") { random in
                let count = Victron.records[record]?.length ?? 0
                return .manufacturer(
                    0x02E1, [0x10, 2, 1, 2, record, random.byte(), random.byte(), 7] + random.bytes(count))
            }
        }
        + Sensirion.supportedSamples.map { type in
            FormatGenerator(
                Sensirion.self, "sensirion \(type)",
                section: bytes(
                    .manufacturer, 0x06D5, Sensirion.layouts[type]?.length.upperBound ?? 0, start: [0, UInt8(type)]))
        }
        + EnvironmentalData.records.keys.sorted().map { uuid in
            FormatGenerator(EnvironmentalData.self, "ess \(uuid)") { random in
                .service(uuid, random.bytes(EnvironmentalData.records[uuid]?.length ?? 0))
            }
        } + [
            FormatGenerator(BTHome.self, "bthome") { random in .service(0xFCD2, [0x40] + bthome(&random)) },
            FormatGenerator(Qingping.self, "qingping") { random in
                let objects = (0..<random.edge(below: 4)).flatMap { _ -> [UInt8] in
                    let known = Qingping.records.keys.sorted()
                    let identifier = known[random.edge(below: known.count)]
                    let count = Qingping.records[identifier]?.length ?? 0
                    return [identifier, UInt8(count)] + random.bytes(count)
                }
                return .service(0xFDCD, random.bytes(8) + objects)
            },
            FormatGenerator(MiBeacon.self, "mibeacon") { random in
                let control: UInt8 = random.next() % 2 == 0 ? 0x40 : 0x50
                let address = control == 0x50 ? random.bytes(6) : []
                let objects = (0..<(1 + random.edge(below: 3))).flatMap { _ -> [UInt8] in
                    let known = MiBeaconObjects.records.keys.sorted()
                    let identifier = known[random.edge(below: known.count)]
                    let count = MiBeaconObjects.records[identifier]?.length ?? 0
                    return [UInt8(identifier & 0xFF), UInt8(identifier >> 8), UInt8(count)] + random.bytes(count)
                }
                return .service(0xFE95, [control, 0x50] + random.bytes(3) + address + objects)
            },
        ]

    /// Random objects of BTHome, sometimes followed by an unknown one.
    static func bthome(_ random: inout SplitMix) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<(1 + random.edge(below: 5)) {
            let identifiers = BTHomeObjects.identifiers
            let identifier = identifiers[random.edge(below: identifiers.count)]
            bytes.append(identifier)
            switch BTHomeObjects.kind(identifier)?.length {
            case .fixed(let count): bytes += random.bytes(count)
            case .counted:
                let count = random.edge(below: 6)
                bytes += [UInt8(count)] + random.bytes(count)
            case .command: bytes += [2] + random.bytes(3)
            case nil: break
            }
        }
        return random.next() % 4 == 0 ? bytes + [0xEE, 1, 2] : bytes
    }
}

struct RoundTripTests {
    @Test(arguments: FormatGenerator.all)
    func `Encoding and decoding a value returns an equal value`(generator: FormatGenerator) {
        var random = SplitMix(seed: 15)
        var decoded = 0
        for _ in 0..<rounds {
            switch generator.roundTrip(&random) {
            case nil: continue
            case "": decoded += 1
            case let difference?:
                Issue.record("\(difference)")
                return
            }
        }
        // A generator whose payloads are nearly all refused would prove nothing.
        #expect(decoded > rounds / 20)
    }
}
