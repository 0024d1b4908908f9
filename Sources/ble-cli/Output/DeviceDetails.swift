import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The details of a device, which `info` prints.
struct DeviceDetails: Sendable {
    let peripheral: Peripheral
    let details: PeripheralDetails
    /// What the last advertisement says, if it has a known format.
    private let sighting: ScannedPeripheral

    init(_ peripheral: Peripheral, _ details: PeripheralDetails) {
        self.peripheral = peripheral
        self.details = details
        sighting = ScannedPeripheral(
            peripheral: peripheral,
            advertisementData: AdvertisementData(
                localName: details.name, manufacturerData: details.manufacturerData, serviceData: details.serviceData))
    }

    /// Reads the details of a device.
    static func read(_ peripheral: Peripheral) -> Observable<DeviceDetails> {
        peripheral.readDetails().asObservable().map { DeviceDetails(peripheral, $0) }
    }

    func show(in context: CommandContext) throws {
        guard !context.options.json else {
            return try context.output.line(json(at: context.scheduler.now).text)
        }
        let columns = context.output.size?.columns
        for line in lines(in: columns) { try context.output.prose(line) }
    }

    // MARK: Text

    /// The details as lines: a label and its value, which may have further lines.
    ///
    /// - Parameter columns: The width of the terminal; nil to not break lines.
    func lines(in columns: Int?) -> [String] {
        let name = peripheral.name.map { "  " + Sanitiser.clean($0) } ?? ""
        return [peripheral.address.description + name]
            + rows.flatMap { label, values in
                values.enumerated().flatMap { index, value in
                    let start = "  " + TextWidth.fit(index == 0 ? label : "", to: Self.labelWidth)
                    let wrapped = columns.map { TextWidth.wrap(value, to: $0 - Self.labelWidth - 2) } ?? [value]
                    return wrapped.enumerated().map { line, text in
                        (line == 0 ? start : String(repeating: " ", count: Self.labelWidth + 2)) + text
                    }
                }
            }
    }

    private static let labelWidth = 18

    private var rows: [(label: String, values: [String])] {
        let flags = Self.flags.map { (label: $0.label, value: details[keyPath: $0.key].map { $0 ? "yes" : "no" }) }
        let head: [(label: String, value: String?)] = [
            ("Adapter", peripheral.adapterName), ("Address type", details.addressKind?.rawValue),
            ("Alias", details.alias.map { Sanitiser.clean($0) }),
            (
                "Class",
                details.deviceClass.map { "0x" + HexBytes.text(UInt16($0 >> 16)) + HexBytes.text(UInt16($0 & 0xFFFF)) }
            ),
            ("Appearance", details.appearance.map { "0x" + HexBytes.text($0) }),
            ("Icon", details.icon.map { Sanitiser.clean($0) }),
            ("Modalias", details.modalias.map { Sanitiser.clean($0) }),
            ("Preferred bearer", details.preferredBearer.map { Sanitiser.clean($0) }),
        ]
        let tail: [(label: String, value: String?)] = [
            ("RSSI", details.rssi.map { "\($0) dBm" }), ("TX power", details.txPowerLevel.map { "\($0) dBm" }),
            ("Battery", details.batteryLevel.map { "\($0) %" }),
            ("Flags", details.flags.map { HexBytes.text($0) }),
            ("MTU", details.mtu.map { "\($0) bytes" }),
        ]
        let lists: [(label: String, values: [String])] = [
            ("Services", details.services.map { "\($0)" + ($0.name.map { " " + $0 } ?? "") }),
            (
                "Manufacturer data",
                details.manufacturerData.sorted { $0.key < $1.key }.map { company, bytes in
                    let name = CompanyName.of(company).map { " " + Sanitiser.clean($0) } ?? ""
                    return "\(HexBytes.text(company))\(name) = \(Self.text(bytes))"
                }
            ),
            (
                "Service data",
                details.serviceData.sorted { $0.key.description < $1.key.description }.map { service, bytes in
                    "\(service)\(service.name.map { " " + $0 } ?? "") = \(Self.text(bytes))"
                }
            ),
            (
                "Other advertised data",
                details.advertisingData.sorted { $0.key < $1.key }.map { "\(HexBytes.text([$0])) = \(Self.text($1))" }
            ),
            ("Reading", sighting.displayReading.isEmpty ? [] : [sighting.displayReading]),
        ]
        let facts = (details.link?.texts ?? []).map { (label: $0.label, values: [$0.text]) }
        return (head + flags + tail).compactMap { row in row.value.map { (row.label, [$0]) } }
            + lists.filter { !$0.values.isEmpty } + facts
    }

    private static let flags: [(label: String, key: any KeyPath<PeripheralDetails, Bool?> & Sendable)] = [
        ("Paired", \.isPaired), ("Bonded", \.isBonded), ("Trusted", \.isTrusted), ("Blocked", \.isBlocked),
        ("Connected", \.isConnected), ("Connected over LE", \.isConnectedOverLE),
        ("Services read", \.areServicesResolved),
        ("Legacy pairing", \.usesLegacyPairing), ("Cable pairing", \.isCablePairing), ("May wake", \.isWakeAllowed),
    ]

    private static func text(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "(empty)" : HexBytes.text(bytes) }

    // MARK: JSON

    func json(at time: Date) -> JSON {
        let flags = Self.flagKeys.map { (key: $0.name, value: details[keyPath: $0.key].map { JSON.bool($0) } ?? .null) }
        let head: [(key: String, value: JSON)] = [
            ("time", .string(Timestamp.text(time))), ("adapter", .string(orNull: peripheral.adapterName)),
            ("address", .string(peripheral.address.description)),
            ("addressType", .string(orNull: details.addressKind?.rawValue)),
            ("name", .string(orNull: details.name)), ("alias", .string(orNull: details.alias)),
            ("class", .number(orNull: details.deviceClass)), ("appearance", .number(orNull: details.appearance)),
            ("icon", .string(orNull: details.icon)), ("modalias", .string(orNull: details.modalias)),
            ("preferredBearer", .string(orNull: details.preferredBearer)),
        ]
        let tail: [(key: String, value: JSON)] = [
            ("rssi", .number(orNull: details.rssi)), ("txPower", .number(orNull: details.txPowerLevel)),
            ("battery", .number(orNull: details.batteryLevel)),
            ("flags", .string(orNull: details.flags.map { HexBytes.text($0) })),
            (
                "services",
                .array(
                    details.services.map {
                        .object([("uuid", .string($0.description)), ("name", .string(orNull: $0.name))])
                    })
            ),
            ("manufacturerData", .bytes(of: details.manufacturerData)),
            ("serviceData", .bytes(of: details.serviceData)),
            ("advertisingData", .bytes(of: details.advertisingData)),
            ("reading", sighting.reading?.json ?? .null), ("mtu", .number(orNull: details.mtu)),
            ("link", details.link?.json ?? .null),
        ]
        return .object(head + flags + tail)
    }

    private static let flagKeys: [(name: String, key: any KeyPath<PeripheralDetails, Bool?> & Sendable)] = [
        ("paired", \.isPaired), ("bonded", \.isBonded), ("trusted", \.isTrusted), ("blocked", \.isBlocked),
        ("connected", \.isConnected), ("connectedOverLE", \.isConnectedOverLE),
        ("servicesResolved", \.areServicesResolved),
        ("legacyPairing", \.usesLegacyPairing), ("cablePairing", \.isCablePairing), ("wakeAllowed", \.isWakeAllowed),
    ]
}

extension LinkFacts {
    /// The known facts of the link as text, and one reason for those that are unknown.
    fileprivate var texts: [(label: String, text: String)] {
        let known: [(label: String, text: String?)] = [
            ("Role", role.value?.rawValue), ("Link RSSI", rssi.value.map { "\($0) dBm" }),
            ("Interval", interval.value.map { "\($0.milliseconds) ms" }),
            ("Latency", latency.value.map(String.init)),
            ("Timeout", supervisionTimeout.value.map { "\($0.milliseconds) ms" }),
            ("PHY", phy.value.map { "transmit \($0.transmit.text), receive \($0.receive.text)" }),
        ]
        return known.compactMap { fact in fact.text.map { (fact.label, $0) } }
    }

    /// The facts as a JSON object; an unknown fact is null. Durations are in milliseconds.
    fileprivate var json: JSON {
        .object([
            ("role", .string(orNull: role.value?.rawValue)), ("rssi", .number(orNull: rssi.value)),
            ("intervalMilliseconds", interval.value.map { .double($0.milliseconds) } ?? .null),
            ("latency", .number(orNull: latency.value)),
            ("timeoutMilliseconds", supervisionTimeout.value.map { .double($0.milliseconds) } ?? .null),
            ("transmitPhy", .string(orNull: phy.value?.transmit.text)),
            ("receivePhy", .string(orNull: phy.value?.receive.text)),
        ])
    }
}

extension LinkPHY {
    fileprivate var text: String {
        switch self {
        case .oneMegabit: "1M"
        case .twoMegabits: "2M"
        case .coded: "coded"
        }
    }
}

extension Duration {
    /// The duration in milliseconds.
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}

extension JSON {
    /// Makes an object of manufacturer data, with company numbers as keys.
    static func bytes(of data: [UInt16: [UInt8]]) -> JSON {
        .object(data.sorted { $0.key < $1.key }.map { (HexBytes.text($0.key), .string(HexBytes.text($0.value))) })
    }

    /// Makes an object of advertised data, with types as keys.
    static func bytes(of data: [UInt8: [UInt8]]) -> JSON {
        .object(data.sorted { $0.key < $1.key }.map { (HexBytes.text([$0.key]), .string(HexBytes.text($0.value))) })
    }

    /// Makes an object of service data, with UUIDs as keys.
    static func bytes(of data: [BluetoothUUID: [UInt8]]) -> JSON {
        .object(
            data.map { (key: $0.key.description, value: JSON.string(HexBytes.text($0.value))) }
                .sorted { $0.key < $1.key })
    }
}
