/// What a device has advertised: the latest value of each kind, as bluetoothd shows it.
package struct CapturedAdvertisement: Hashable, Sendable {
    package private(set) var flags: UInt8?
    /// The bytes of the name. A complete name replaces a shortened one.
    package private(set) var name: [UInt8]?
    package private(set) var txPower: Int8?
    package private(set) var appearance: UInt16?
    package private(set) var services: [AttributeUUID] = []
    package private(set) var manufacturerData: [UInt16: [UInt8]] = [:]
    package private(set) var serviceData: [AttributeUUID: [UInt8]] = [:]
    package private(set) var isConnectable = false
    /// The signal strength of the last advertisement.
    package private(set) var rssi: Int?
    /// The number of advertisements, without scan responses.
    package private(set) var count = 0
    private var firstTime: Int64 = 0
    private var lastTime: Int64 = 0
    private var isNameComplete = false
    /// The data of an advertisement that the next report continues.
    private var pending: [UInt8] = []

    /// The most entries of each kind. A device that changes its identifiers all the time has no more.
    private static let mostEntries = 64
    /// The data of the last advertisement and of the last scan response. Most devices repeat theirs.
    private var lastData: [Bool: [UInt8]] = [:]

    /// The longest data of an extended advertisement. Source: Core Specification 5.4, Vol 6, Part B, 2.3.4.
    private static let longestData = 1650

    /// The average time between two advertisements in milliseconds; nil if fewer than two have arrived.
    package var interval: Int64? { count > 1 ? max(0, lastTime &- firstTime) / 1000 / Int64(count - 1) : nil }

    package mutating func add(_ report: AdvertisingReport, at time: Int64) {
        rssi = report.rssi ?? rssi
        if let connectable = report.isConnectable { isConnectable = isConnectable || connectable }
        let data = pending + report.data
        guard !report.isIncomplete else {
            pending = data.count <= Self.longestData ? data : []
            return
        }
        pending = []
        if !report.isScanResponse {
            // The clock of the capturing machine may have been changed, so the times are ordered here.
            firstTime = count == 0 ? time : min(firstTime, time)
            lastTime = max(count == 0 ? time : lastTime, time)
            count += 1
        }
        guard lastData[report.isScanResponse] != data else { return }
        lastData[report.isScanResponse] = data
        read(data)
    }

    /// Reads AD structures up to the first malformed one. Source: Core Specification Supplement, Part A.
    private mutating func read(_ data: [UInt8]) {
        var cursor = ByteCursor(data)
        while let length = cursor.uint8(), length > 0, let structure = cursor.take(Int(length)),
            let type = structure.first
        {
            read(type, structure.dropFirst())
        }
    }

    private mutating func read(_ type: UInt8, _ value: ArraySlice<UInt8>) {
        var cursor = ByteCursor(value)
        switch type {
        case 0x01: flags = value.first ?? flags
        case 0x02, 0x03: addServices(value, width: 2)
        case 0x04, 0x05: addServices(value, width: 4)
        case 0x06, 0x07: addServices(value, width: 16)
        case 0x08 where !isNameComplete: name = Array(value)
        case 0x09: (name, isNameComplete) = (Array(value), true)
        case 0x0A: txPower = value.first.map { Int8(bitPattern: $0) } ?? txPower
        case 0x19: appearance = cursor.uint16() ?? appearance
        case 0x16: addData(cursor, width: 2)
        case 0x20: addData(cursor, width: 4)
        case 0x21: addData(cursor, width: 16)
        case 0xFF:
            guard let company = cursor.uint16() else { return }
            guard manufacturerData[company] != nil || manufacturerData.count < Self.mostEntries else { return }
            manufacturerData[company] = Array(cursor.takeRest())
        default: break
        }
    }

    private mutating func addServices(_ value: ArraySlice<UInt8>, width: Int) {
        var cursor = ByteCursor(value)
        while let bytes = cursor.take(width), let uuid = AttributeUUID(bytes) {
            if !services.contains(uuid), services.count < Self.mostEntries { services.append(uuid) }
        }
    }

    private mutating func addData(_ cursor: ByteCursor, width: Int) {
        var cursor = cursor
        guard let uuid = cursor.take(width).flatMap({ AttributeUUID($0) }) else { return }
        guard serviceData[uuid] != nil || serviceData.count < Self.mostEntries else { return }
        serviceData[uuid] = Array(cursor.takeRest())
    }
}
