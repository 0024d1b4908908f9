import ArgumentParser
import RxBluetooth

/// The options that limit a scan to some devices.
struct ScanFilterOptions: ParsableArguments {
    @Option(
        name: .customLong("service"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only devices that advertise this service: a UUID, or a name such as \"Heart Rate\". If given several "
                + "times, a device with any of the services is shown.",
            valueName: "service"), completion: .services)
    var services: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show only devices with this part in their names or aliases, in upper or lower case. A device is shown "
                + "once its name is known.",
            valueName: "part"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show only devices with at least this RSSI, such as -70. A device is shown once an advertisement is as "
                + "strong.",
            valueName: "dBm"))
    var rssi: String?

    @Option(
        name: .customLong("manufacturer"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only devices with manufacturer data of this company: up to 4 hexadecimal digits such as 0499, or a "
                + "name such as Apple. May be given several times.",
            valueName: "company"))
    var manufacturers: [String] = []

    /// Returns the conditions. Throws if an option is invalid.
    func parsed() throws(CLIError) -> ScanConditions {
        var conditions = ScanConditions()
        for text in services { conditions.services.append(try ServiceArgument.parse(text)) }
        for text in manufacturers { conditions.manufacturers += try CompanyNumber.parse(text) }
        if let name {
            guard !name.trimmed.isEmpty else {
                throw CLIError(.usage, "The name of --name is empty. Give a part of a name.")
            }
            conditions.namePart = name.trimmed.lowercased()
        }
        if let rssi {
            guard let number = Int(rssi.trimmed), (-127...20).contains(number) else {
                throw CLIError(.usage, "“\(rssi)” is not an RSSI. Give -127 to 20, for example --rssi -70.")
            }
            conditions.minimumRSSI = number
        }
        return conditions
    }
}

/// The conditions that a device must match to be shown by a scan.
struct ScanConditions: Sendable {
    /// Services of which the device must advertise at least one; empty for any device.
    var services: [BluetoothUUID] = []
    /// A part of the name or of the user's alias, in lower case.
    var namePart: String?
    var minimumRSSI: Int?
    /// The companies of which the device must advertise data of at least one; empty for any device.
    var manufacturers: [UInt16] = []

    /// Whether any device is shown.
    var isEmpty: Bool { services.isEmpty && namePart == nil && minimumRSSI == nil && manufacturers.isEmpty }

    /// The conditions that the library checks, before it makes a scan result.
    ///
    /// bluetoothd also applies the lowest RSSI. The library has no filter for a part of a name.
    var filters: [ScanFilter] {
        guard minimumRSSI != nil || !manufacturers.isEmpty else { return [] }
        guard !manufacturers.isEmpty else { return [ScanFilter(minimumRSSI: minimumRSSI)] }
        return manufacturers.map { ScanFilter(manufacturerData: [$0: .any], minimumRSSI: minimumRSSI) }
    }

    /// The patterns of a passive scan, with which the controller or bluetoothd can already drop other devices.
    var patterns: [AdvertisementPattern] {
        guard !manufacturers.isEmpty else { return AdvertisementPattern.almostAll }
        return manufacturers.map { AdvertisementPattern.manufacturerData(of: $0) }
    }

    /// Returns whether a scan result matches the condition that the library does not check: the name or the alias.
    ///
    /// A device that obtains its name later is emitted again, and is accepted then.
    func accepts(_ result: ScannedPeripheral) -> Bool {
        namePart.map { result.hasName(containing: $0) } ?? true
    }
}
