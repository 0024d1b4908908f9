import RxBluetooth
import RxBluetoothSupport

/// A scan result as text and as JSON.
extension ScannedPeripheral {
    /// The advertised name, else the latest known name of the peripheral.
    var name: String? { advertisementData.localName ?? peripheral.name }

    /// The alias that the user has given, and the name; without blank ones.
    var names: [String] { [peripheral.alias, name].compactMap(\.self).filter { !$0.trimmed.isEmpty } }

    /// Returns whether the alias or the name contains a text in lower case.
    func hasName(containing text: String) -> Bool { names.contains { $0.lowercased().contains(text) } }

    /// The sanitised name, or `(no name)`; if the user has given an alias, the alias, and the name in brackets.
    var displayName: String {
        let names = names.map { Sanitiser.clean($0) }
        return names.count == 2 ? "\(names[0]) (\(names[1]))" : names.first ?? "(no name)"
    }

    /// The sanitised names of the companies of the manufacturer data, in the order of their numbers.
    var displayCompanies: String {
        advertisementData.manufacturerData.keys.sorted().map { number in
            CompanyName.of(number).map { Sanitiser.clean($0) } ?? "company 0x" + HexBytes.text(number)
        }
        .joined(separator: "; ")
    }

    /// The services by name or UUID, each with its data. Services with data are last.
    ///
    /// Some versions of bluetoothd list a service that has only data, others do not. The order is the same for all.
    var displayServices: String {
        let data = advertisementData.serviceData
        let withoutData = advertisementData.serviceUUIDs.filter { data[$0] == nil }
        return (withoutData + data.keys.sorted { $0.description < $1.description }).map { service in
            let name = service.name ?? service.description
            return data[service].map { "\(name) = \($0.isEmpty ? "(empty)" : HexBytes.text($0))" } ?? name
        }
        .joined(separator: ", ")
    }

    /// What the advertisement says, or why it was refused; empty if it has no known format.
    var displayReading: String {
        if let reading { return reading.display }
        return readingFailure.map { Sanitiser.clean("\($0.subject): \($0.reason)") } ?? ""
    }

    /// The result as one line of text.
    var line: String { line(in: TerminalStyle()) }

    /// Returns the result as one line of text, with colours if the style has them.
    ///
    /// - Parameter isConnected: Whether any program has a link to the device.
    func line(in style: TerminalStyle, isConnected: Bool = false) -> String {
        let strength = rssi.map { "\($0) dBm" } ?? "-"
        let name = displayName
        var parts = [
            peripheral.address.description,
            String(repeating: " ", count: max(0, 8 - strength.count)) + style.paint(strength, .signal(rssi)),
            style.paint(name, .bold) + String(repeating: " ", count: max(0, 24 - TextWidth.of(name))),
        ]
        let reading = displayReading
        if !reading.isEmpty { parts.append(style.paint("{\(reading)}", .reading)) }
        if !displayCompanies.isEmpty { parts.append("[\(displayCompanies)]") }
        if !displayServices.isEmpty { parts.append(displayServices) }
        if isConnected { parts.append("(connected)") } else if isCached { parts.append("(remembered)") }
        return parts.joined(separator: "  ").trimmingEnd
    }

    /// The result as a JSON object, which always has the same keys.
    var json: JSON {
        let data = advertisementData
        return .object([
            ("time", .string(Timestamp.text(timestamp))),
            ("adapter", .string(orNull: peripheral.adapterName)),
            ("address", .string(peripheral.address.description)),
            ("addressType", .string(orNull: peripheral.addressKind?.rawValue)),
            ("name", .string(orNull: name)),
            ("alias", .string(orNull: peripheral.alias)),
            ("rssi", .number(orNull: rssi)),
            ("txPower", .number(orNull: data.txPowerLevel)),
            ("appearance", .number(orNull: data.appearance)),
            ("flags", .string(orNull: data.flags.map { HexBytes.text($0) })),
            (
                "manufacturerData",
                .object(
                    data.manufacturerData.sorted { $0.key < $1.key }
                        .map { (HexBytes.text($0.key), .string(HexBytes.text($0.value))) })
            ),
            (
                "companies",
                .object(
                    data.manufacturerData.keys.sorted()
                        .map { (HexBytes.text($0), .string(orNull: CompanyName.of($0))) })
            ),
            (
                "serviceData",
                .object(
                    data.serviceData.map { ($0.key.description, JSON.string(HexBytes.text($0.value))) }
                        .sorted { $0.0 < $1.0 })
            ),
            ("services", .array(data.serviceUUIDs.map { .string($0.description) })),
            ("connectable", data.isConnectable.map { .bool($0) } ?? .null),
            ("cached", .bool(isCached)), ("reading", reading?.json ?? .null),
            ("readingError", .string(orNull: reading == nil ? readingFailure?.description : nil)),
        ])
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmingEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
