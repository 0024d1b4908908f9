/// A received advertisement or scan response.
///
/// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
package struct AdvertisingReport: Hashable, Sendable {
    package var device: DeviceIdentity
    /// Whether the device accepts connections; nil for a scan response, which does not contain it.
    package var isConnectable: Bool?
    package var isScanResponse = false
    /// The signal strength in dBm; nil if the controller does not know it.
    package var rssi: Int?
    /// The AD structures.
    package var data: [UInt8]
    /// Whether the next report of the device continues the data.
    package var isIncomplete = false

    package init(device: DeviceIdentity, isConnectable: Bool?, rssi: Int?, data: [UInt8]) {
        self.device = device
        self.isConnectable = isConnectable
        self.rssi = rssi
        self.data = data
    }

    /// Reads the reports of an LE Advertising Report; nil if it is malformed.
    static func legacy(_ body: ByteCursor) -> [AdvertisingReport]? {
        var body = body
        guard let count = body.uint8() else { return nil }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            guard let type = body.uint8(), let addressType = body.uint8(), let address = body.take(6),
                let length = body.uint8(), let data = body.take(Int(length)), let rssi = body.uint8()
            else { return nil }
            var report = AdvertisingReport(
                device: DeviceIdentity(packet: address, type: addressType),
                isConnectable: type == 4 ? nil : type <= 1, rssi: strength(rssi), data: Array(data))
            report.isScanResponse = type == 4
            reports.append(report)
        }
        return reports
    }

    /// Reads the reports of an LE Extended Advertising Report; nil if it is malformed.
    static func extended(_ body: ByteCursor) -> [AdvertisingReport]? {
        var body = body
        guard let count = body.uint8() else { return nil }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            guard let type = body.uint16(), let addressType = body.uint8(), let address = body.take(6),
                body.take(4) != nil, let rssi = body.uint8(), body.take(9) != nil, let length = body.uint8(),
                let data = body.take(Int(length))
            else { return nil }
            // An anonymous advertisement has no address, so it belongs to no device.
            guard addressType != 0xFF else { continue }
            let isResponse = type & 0x08 != 0
            var report = AdvertisingReport(
                device: DeviceIdentity(packet: address, type: addressType),
                isConnectable: isResponse ? nil : type & 0x01 != 0, rssi: strength(rssi), data: Array(data))
            report.isScanResponse = isResponse
            report.isIncomplete = type >> 5 & 3 == 1
            reports.append(report)
        }
        return reports
    }

    /// The value 127 means that the strength is unknown.
    private static func strength(_ byte: UInt8) -> Int? { byte == 127 ? nil : Int(Int8(bitPattern: byte)) }
}
