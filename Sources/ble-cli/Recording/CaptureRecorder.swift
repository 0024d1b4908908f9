import BluetoothCaptures
import FoundationEssentials
import Rx
import RxBluetooth

/// Writes what the library saw as the packets that a controller would have sent or received.
///
/// Each packet is written at once, so that a killed process loses at most the last packet.
final class CaptureRecorder: Sendable {
    /// Appends bytes to the file.
    typealias Sink = @Sendable ([UInt8]) throws -> Void

    private let state: Guarded<RecordingState>
    private let sink: Sink

    private struct RecordingState {
        let writer: CaptureWriter
        var count = 0
        /// The attributes of the connected device; nil without a link.
        var attributes: RecordedAttributes?
        /// The advertised services of the device of the last advertisement before the first link.
        var services: [BluetoothUUID] = []
        var hasConnected = false
    }

    static let comment =
        "All HCI packets of this file are synthesised by ble-cli record: from the advertisements and the GATT values that "
        + "bluetoothd reported, not from a controller."

    /// Writes the beginning of the file.
    init(_ format: CaptureWriter.Format, to sink: @escaping Sink) throws {
        let writer = CaptureWriter(format)
        self.sink = sink
        state = Guarded(RecordingState(writer: writer))
        try sink(writer.header(comment: Self.comment, application: "ble-cli record"))
    }

    /// The number of packets so far.
    var count: Int { state.withLock { $0.count } }

    /// Whether the device of the recording was connected, so that bluetoothd lists its discovered services.
    var hasConnected: Bool { state.withLock { $0.hasConnected } }

    /// Records an advertisement. A device that was only remembered is left out.
    func record(_ sighting: ScannedPeripheral) throws {
        guard !sighting.isCached, let device = DeviceIdentity(sighting.peripheral) else { return }
        let data = sighting.advertisementData
        let services = state.withLock { state in
            if !state.hasConnected { state.services = data.advertisedServices }
            return state.services
        }
        let report = AdvertisingReport(
            device: device, isConnectable: data.isConnectable, rssi: sighting.rssi.map { Int($0) },
            data: data.structures(advertising: services))
        try write(SyntheticHCI.advertisement(report), at: sighting.timestamp)
    }

    /// Records that a device is connected and that its services are discovered.
    func recordConnection(_ attributes: RecordedAttributes, at time: Date) throws {
        guard let device = DeviceIdentity(attributes.peripheral) else { return }
        state.withLock { state in
            state.attributes = attributes
            state.hasConnected = true
        }
        try write([SyntheticHCI.connected(to: device)], at: time)
        try write(attributes.discovery, at: time)
    }

    /// Records the end of the link, if there is one.
    func recordDisconnection(isRequested: Bool, at time: Date) throws {
        let wasConnected = state.withLock { state in
            defer { state.attributes = nil }
            return state.attributes != nil
        }
        // The reasons are: ended by this host, and ended by the device.
        if wasConnected { try write([SyntheticHCI.disconnected(reason: isRequested ? 0x16 : 0x13)], at: time) }
    }

    /// Records an exchange with the connected device. Exchanges with other devices are left out.
    func record(_ exchange: AttributeExchange) throws {
        guard let attributes = state.withLock({ $0.attributes }) else { return }
        try write(attributes.packets(of: exchange.kind), at: exchange.time)
    }

    private func write(_ packets: [ATTPacket], at time: Date) throws {
        for packet in packets { try write(SyntheticHCI.data(packet), isSent: packet.isOfClient, at: time) }
    }

    private func write(_ events: [[UInt8]], at time: Date) throws {
        for event in events { try write(event, isSent: false, at: time) }
    }

    private func write(_ bytes: [UInt8], isSent: Bool, at time: Date) throws {
        let packet = CapturePacket(
            time: Int64((time.timeIntervalSince1970 * 1e6).rounded()),
            direction: isSent ? .sentByHost : .receivedByHost, bytes: bytes)
        try sink(state.withLock { $0.writer.record(packet) })
        state.withLock { $0.count += 1 }
    }
}

extension DeviceIdentity {
    init?(_ peripheral: Peripheral) {
        self.init(peripheral.address.description, isRandom: peripheral.addressKind != .public)
    }
}

extension AdvertisementData {
    /// The services that are probably advertised: those that bluetoothd lists, without Generic Access and Attribute.
    ///
    /// bluetoothd keeps one list of advertised and of discovered services, and every device has these two.
    var advertisedServices: [BluetoothUUID] { serviceUUIDs.filter { !Self.discovered.contains($0) } }

    /// Whether the services contain some that were discovered over a link, besides those that are advertised.
    var hasDiscoveredServices: Bool { rawData == nil && !Self.discovered.isDisjoint(with: serviceUUIDs) }

    /// What to do about ``hasDiscoveredServices``.
    static let discoveredServicesComment =
        "The advertised services may contain all services of the device, because it was connected before. To avoid "
        + "this, use ble-cli forget first."

    private static let discovered: Set<BluetoothUUID> = [0x1800, 0x1801]

    /// The AD structures of the latest packet, or those that have the values of bluetoothd.
    func structures(advertising services: [BluetoothUUID]) -> [UInt8] {
        if let rawData { return rawData }
        var made = ADStructures()
        // Without its experimental mode, bluetoothd does not report the flags. It reports discoverable devices only.
        made.append(flags: flags?.first ?? 0x06)
        made.append(services: services.compactMap { AttributeUUID(text: $0.longText) })
        for (company, data) in manufacturerData.sorted(by: { $0.key < $1.key }) {
            made.append(company: company, data)
        }
        for (service, data) in serviceData.sorted(by: { $0.key.longText < $1.key.longText }) {
            if let uuid = AttributeUUID(text: service.longText) { made.append(service: uuid, data) }
        }
        if let power = txPowerLevel { made.append(txPower: Int8(clamping: power)) }
        if let appearance { made.append(appearance: appearance) }
        if let localName { made.append(name: localName.utf8) }
        return made.bytes
    }
}
