import RxBluetoothMocks

/// Writes peripherals as a scenario file, which ``ScenarioFile`` reads.
package struct ScenarioWriter {
    private var lines: [String] = []

    /// Returns the text of a file.
    ///
    /// - Parameters:
    ///   - peripherals: The peripherals, each with another address.
    ///   - comment: Lines at the top of the file.
    package static func text(_ peripherals: [DescribedPeripheral], comment: [String] = []) -> String {
        var writer = ScenarioWriter()
        for line in comment { writer.lines.append("# " + printable(line)) }
        guard !peripherals.isEmpty else { return writer.lines.map { $0 + "\n" }.joined() + "peripherals: []\n" }
        writer.lines.append("peripherals:")
        for peripheral in peripherals { writer.write(peripheral) }
        return writer.lines.map { $0 + "\n" }.joined()
    }

    private mutating func write(_ peripheral: DescribedPeripheral) {
        if let comment = peripheral.comment { lines.append("  # " + Self.printable(comment)) }
        lines.append("  - name: \(Self.quoted(peripheral.name))")
        lines.append("    address: \"\(peripheral.address)\"")
        if !peripheral.isRandom { lines.append("    address-type: public") }
        if let advertisement = peripheral.advertisement { write(advertisement) }
        if let mtu = peripheral.mtu { lines.append("    connection: { mtu: \(min(max(mtu, 23), 517)) }") }
        guard !peripheral.services.isEmpty else { return }
        lines.append("    services:")
        for service in peripheral.services { write(service) }
    }

    private mutating func write(_ advertisement: SimulatedAdvertisement) {
        lines.append("    advertisement:")
        func add(_ key: String, _ value: String) -> String { "      \(key): \(value)" }
        lines.append(add("interval", Self.time(advertisement.interval)))
        lines.append(add("rssi", "\(min(max(advertisement.rssi, -127), 20))"))
        if let name = advertisement.name {
            lines.append(add("name", Self.quoted(String(decoding: name.prefix(248), as: UTF8.self), most: 248)))
        }
        if !advertisement.isConnectable { lines.append(add("connectable", "false")) }
        // 127 stands for an unknown power, and -128 is not valid.
        if let power = advertisement.txPower, (-127...126).contains(power) {
            lines.append(add("tx-power", "\(power)"))
        }
        if !advertisement.services.isEmpty {
            let services = advertisement.services.map { "\"\($0)\"" }.joined(separator: ", ")
            lines.append(add("services", "[\(services)]"))
        }
        if !advertisement.manufacturerData.isEmpty {
            lines.append("      manufacturer-data:")
            for (company, data) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
                lines.append("        \(company): \(Self.bytes(data.prefix(252)))")
            }
        }
        if !advertisement.serviceData.isEmpty {
            lines.append("      service-data:")
            for (service, data) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
                lines.append("        \"\(service)\": \(Self.bytes(data.prefix(252)))")
            }
        }
        if let appearance = advertisement.appearance { lines.append(add("appearance", "\(appearance)")) }
        lines.append(add("flags", advertisement.flags.map { "\($0)" } ?? "none"))
    }

    private mutating func write(_ service: DescribedPeripheral.Service) {
        lines.append("      - uuid: \"\(service.uuid)\"")
        if !service.isPrimary { lines.append("        primary: false") }
        guard !service.characteristics.isEmpty else { return }
        lines.append("        characteristics:")
        for characteristic in service.characteristics { write(characteristic) }
    }

    private mutating func write(_ characteristic: DescribedPeripheral.Characteristic) {
        if let comment = characteristic.comment { lines.append("          # " + Self.printable(comment)) }
        lines.append("          - uuid: \"\(characteristic.uuid)\"")
        let properties = Self.properties.filter { characteristic.properties & $0.bit != 0 }.map(\.name)
        lines.append("            properties: [\(properties.joined(separator: ", "))]")
        if !characteristic.value.isEmpty { lines.append("            value: \(Self.bytes(characteristic.value))") }
        if let protection = characteristic.protection { lines.append("            protection: \(protection.rawValue)") }
        if let notifications = characteristic.notifications, !notifications.values.isEmpty {
            lines.append("            every: \(Self.time(notifications.interval))")
            lines.append("            values:")
            for value in notifications.values { lines.append("              - \(Self.bytes(value))") }
        }
        guard !characteristic.descriptors.isEmpty else { return }
        lines.append("            descriptors:")
        for descriptor in characteristic.descriptors {
            lines.append("              - { uuid: \"\(descriptor.uuid)\", value: \(Self.bytes(descriptor.value)) }")
        }
    }

    private static let properties: [(bit: UInt8, name: String)] = [
        (0x02, "read"), (0x04, "write-without-response"), (0x08, "write"), (0x10, "notify"), (0x20, "indicate"),
    ]

    /// Returns a time above 0 in whole milliseconds.
    private static func time(_ time: Duration) -> String {
        "\(max(1, Int64((time / .milliseconds(1)).rounded()))) ms"
    }

    private static func bytes(_ bytes: some Sequence<UInt8>) -> String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }
        return "\"" + digits.joined(separator: " ") + "\""
    }

    /// Returns text in double quotes, with everything escaped that could end it or that a terminal would obey.
    ///
    /// - Parameter most: The most bytes of the text in UTF-8.
    static func quoted(_ text: String, most: Int = .max) -> String {
        var quoted = "\""
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= most else { break }
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.isPrintable: quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
            }
        }
        return quoted + "\""
    }

    /// Returns text for a comment: one line, without characters that a terminal would obey.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isPrintable ? $0 : " " }))
    }
}

extension Unicode.Scalar {
    /// Whether the character can stand in a YAML file as it is, and has no effect on other characters.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
