import BluetoothValues

/// Measures the cost of decoding one advertisement.
///
/// `valuesbench` prints nanoseconds for every case, `valuesbench CASE N` decodes one case N times, for valgrind, and
/// `valuesbench --list` prints the cases as lines for other decoders.
@main
struct Main {
    struct Case {
        let name: String
        let section: AdvertisedSection
        let hexadecimal: String
        let address: SenderAddress = "54:48:E6:8F:80:A5"

        init(_ name: String, _ kind: AdvertisedSection.Kind, _ identifier: UInt16, _ hexadecimal: String) {
            self.name = name
            self.hexadecimal = hexadecimal
            let digits = Array(hexadecimal)
            let bytes = stride(from: 0, to: digits.count, by: 2).map { start in
                UInt8(String(digits[start...(start + 1)]), radix: 16) ?? 0
            }
            section = AdvertisedSection(kind, identifier, bytes)
        }
    }

    static let cases = [
        Case("unknown-company", .manufacturer, 0x1234, "0102030405060708"),
        Case("unknown-length", .manufacturer, 0x0059, "0102030405060708"),
        Case("unknown-service", .service, 0x1234, "0102030405060708"),
        Case("phone", .manufacturer, 0x004C, "1005011234"),
        Case("ibeacon", .manufacturer, 0x004C, "0215fda50693a4e24fb1afcfc6eb07647825000100021a"),
        Case("ruuvi-5", .manufacturer, 0x0499, "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"),
        Case(
            "ruuvi-e1", .manufacturer, 0x0499,
            "e1170c5668c79e0065007004bd11ca00c90a0213e0ac000000decdee110000000000cbb8334c884f"),
        Case("bthome", .service, 0xFCD2, "400009015d025d0903b718"),
        Case("bthome-key", .service, 0xFCD2, "41a47266c95f730011223378237214"),
        Case("mibeacon", .service, 0xFE95, "5020aa01a3a5808fe648540d1004b40095020a10013b"),
        Case("atc1441", .service, 0x181A, "a4c1380283f400a22f5f0bf819"),
        Case("govee", .manufacturer, 0xEC88, "000418ee6400"),
        Case("aranet", .manufacturer, 0x0702, "210e0401000c0f016f030802681f1362012c018c00b9"),
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--list" {
            for one in cases {
                let kind = one.section.kind == .manufacturer ? "m" : "s"
                let identifier = String(one.section.identifier, radix: 16)
                print(one.name, kind, String(repeating: "0", count: 4 - identifier.count) + identifier, one.hexadecimal)
            }
            return
        }
        var decoder = SensorDecoder()
        decoder.keys["54:48:E6:8F:80:A5"] = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")
        if let name = arguments.first, let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
            guard let one = cases.first(where: { $0.name == name }) else { return print("no case \(name)") }
            print(decode(one, count, &decoder))
            return
        }
        let clock = ContinuousClock()
        for one in cases where arguments.isEmpty || arguments.contains(one.name) {
            var best = Double.infinity
            for _ in 0..<5 {
                let time = clock.measure { _ = decode(one, 100_000, &decoder) }
                best = min(best, time / .nanoseconds(100_000))
            }
            print(one.name, (best * 10).rounded() / 10)
        }
    }

    /// Decodes a section many times. Returns a number that depends on all results.
    @inline(never)
    private static func decode(_ one: Case, _ count: Int, _ decoder: inout SensorDecoder) -> Int {
        // Devices of these formats would be refused without encryption if they had a key.
        let address: SenderAddress? = one.name == "bthome-key" ? one.address : "54:48:E6:8F:80:A6"
        var sum = 0
        for _ in 0..<count {
            switch decoder.decode(one.section, from: address) {
            case .unknown: sum &+= 1
            case .reading(let reading): sum &+= reading.measurements.count
            case .failure: sum &+= 1000
            }
        }
        return sum
    }
}
