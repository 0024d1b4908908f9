import FoundationEssentials
import RxBluetooth

/// The advertisement of one device in detail.
struct AdvertisementDetails: Sendable {
    /// A line: what the value is, and the sanitised value. The name is empty if the line continues a list.
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    let fields: [Field]

    init(_ entry: DeviceEntry, at now: Date, isUnicode: Bool = true) {
        fields =
            Self.identity(entry.latest) + Self.reception(entry, now, isUnicode) + Self.advertised(entry.latest)
            + Self.reading(entry.latest)
    }

    private static let nameWidth = 12

    /// Returns the fields as lines of at most this width. Long values continue on further lines.
    func lines(in width: Int) -> [ScreenLine] {
        let indent = min(Self.nameWidth, width / 3)
        return fields.flatMap { field in
            let texts = ScreenLine.wrap(field.value, to: max(1, width - indent - 1))
            return (texts.isEmpty ? [""] : texts).enumerated().map { place, text in
                ScreenLine(parts: [
                    .init(text: TextWidth.fit(place == 0 ? field.name : "", to: indent) + " ", role: .dim),
                    .init(text: text),
                ])
            }
        }
    }

    private static func identity(_ result: ScannedPeripheral) -> [Field] {
        let kind = result.peripheral.addressKind.map { " (\($0.rawValue))" } ?? ""
        var fields = [
            Field(name: "name", value: result.displayName),
            Field(name: "address", value: result.peripheral.address.description + kind),
        ]
        if let adapter = result.peripheral.adapterName {
            fields.append(Field(name: "adapter", value: Sanitiser.clean(adapter)))
        }
        return fields
    }

    private static func reception(_ entry: DeviceEntry, _ now: Date, _ isUnicode: Bool) -> [Field] {
        let history = entry.signal.all
        var signal = entry.latest.rssi.map { "\($0) dBm" } ?? "not known"
        if let weakest = history.min(), let strongest = history.max(), history.count > 1 {
            let bars = Sparkline.text(history, width: history.count, isUnicode: isUnicode)
            signal += ", \(weakest) to \(strongest) dBm in the last \(history.count)  \(bars)"
        }
        var received = entry.count == 1 ? "1 advertisement" : "\(entry.count) advertisements"
        if let rate = entry.rate(at: now) { received += ", \(NumberColumn.rate(rate)) a second" }
        if let age = entry.age(at: now) { received += ", the last \(NumberColumn.age(age)) ago" }
        if entry.count == 0 { received = "nothing yet; bluetoothd remembers the device" }
        return [Field(name: "RSSI", value: signal), Field(name: "received", value: received)]
    }

    private static func advertised(_ result: ScannedPeripheral) -> [Field] {
        let data = result.advertisementData
        var fields: [Field] = []
        func add(_ name: String, _ value: String?) {
            if let value { fields.append(Field(name: name, value: value)) }
        }
        add("tx power", data.txPowerLevel.map { "\($0) dBm" })
        add("appearance", data.appearance.map { "0x" + HexBytes.text($0) })
        add("flags", data.flags.map { HexBytes.text($0) })
        add("connectable", data.isConnectable.map { $0 ? "yes" : "no" })
        for (place, service) in data.serviceUUIDs.enumerated() {
            add(place == 0 ? "services" : "", title(service))
        }
        let services = data.serviceData.sorted { $0.key.description < $1.key.description }
        for (place, item) in services.enumerated() {
            add(place == 0 ? "service data" : "", title(item.key) + ": " + bytes(item.value))
        }
        for (place, item) in data.manufacturerData.sorted(by: { $0.key < $1.key }).enumerated() {
            let company = CompanyName.of(item.key).map { " " + Sanitiser.clean($0) } ?? ""
            add(place == 0 ? "company" : "", HexBytes.text(item.key) + company + ": " + bytes(item.value))
        }
        return fields
    }

    private static func title(_ uuid: BluetoothUUID) -> String {
        uuid.name.map { "\(uuid) \(Sanitiser.clean($0))" } ?? uuid.description
    }

    private static func bytes(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "(empty)" : HexBytes.text(bytes) }

    private static func reading(_ result: ScannedPeripheral) -> [Field] {
        guard let reading = result.reading else {
            return result.displayReading.isEmpty ? [] : [Field(name: "reading", value: result.displayReading)]
        }
        let model = reading.model.map { " (\($0))" } ?? ""
        let notes = (reading.isEncrypted ? ", encrypted" : "") + (reading.isRepeated ? ", repeated" : "")
        return [Field(name: "reading", value: Sanitiser.clean(reading.format.rawValue + model) + notes)]
            + reading.parts.map { Field(name: "", value: Sanitiser.clean($0)) }
            + (reading.packetCounter.map { [Field(name: "", value: "packet \($0)")] } ?? [])
    }
}
