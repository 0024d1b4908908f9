import BluetoothCaptures
import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles

/// Makes a scenario of the devices in a capture.
struct CaptureToScenario {
    /// The devices, each with another address.
    private(set) var peripherals: [DescribedPeripheral] = []
    /// What the scenario leaves out, as sentences for the user.
    private(set) var notes: [String] = []
    private var addresses: Set<String> = []
    private var unnamedCount = 0

    /// Adds all devices that match a target; all devices if it is nil.
    init(_ devices: [CaptureCollector.Device], matching target: Target?) {
        for device in devices {
            let described = describe(device)
            if let target, target.match(described.name, address: described.address) == nil { continue }
            guard addresses.insert(described.address).inserted else {
                notes.append(
                    "\(described.address) is in the capture as a public and as a random address; the first is used.")
                continue
            }
            peripherals.append(described)
        }
    }

    private mutating func describe(_ device: CaptureCollector.Device) -> DescribedPeripheral {
        let address = device.identity?.address ?? placeholder()
        let advertised = device.advertisement?.name.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let known = device.server.deviceName ?? advertised
        var described = DescribedPeripheral(
            known.isEmpty ? address : known, address: address, isRandom: device.identity?.isRandom ?? true)
        if device.identity == nil {
            described.comment = "The capture begins after this device was connected, so its address is not known."
        }
        described.advertisement =
            device.advertisement.map { Self.advertisement($0) }
            ?? SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: known.isEmpty ? nil : known)
        described.mtu = device.server.mtu
        described.services = services(of: device.server)
        let attributes = described.services.flatMap(\.characteristics).count
        if attributes == 0, !device.server.isEmpty {
            notes.append(
                "The values of \(address) are left out: the capture does not contain the discovery of its services.")
        }
        return described
    }

    /// Returns an address for a device with an unknown address.
    private mutating func placeholder() -> String {
        unnamedCount += 1
        return "C0:DE:00:00:" + Hex.text(UInt8(unnamedCount >> 8 & 0xFF)).uppercased() + ":"
            + Hex.text(UInt8(unnamedCount & 0xFF)).uppercased()
    }

    private static func advertisement(_ captured: CapturedAdvertisement) -> SimulatedAdvertisement {
        let interval = min(max(captured.interval ?? 100, 20), 60_000)
        var advertisement = SimulatedAdvertisement(
            every: .milliseconds(interval), rssi: captured.rssi ?? -60, connectable: captured.isConnectable,
            txPower: captured.txPower, services: captured.services.map(\.description),
            manufacturerData: captured.manufacturerData,
            serviceData: Dictionary(uniqueKeysWithValues: captured.serviceData.map { ($0.key.description, $0.value) }),
            appearance: captured.appearance, flags: captured.flags)
        advertisement.name = captured.name
        return advertisement
    }

    /// Returns the services with their characteristics and descriptors.
    ///
    /// An attribute belongs to the last service and the last characteristic that begin before it, so that a damaged
    /// capture with overlapping services does not repeat it.
    private func services(of server: CapturedServer) -> [DescribedPeripheral.Service] {
        let services = server.services.values.sorted { $0.start < $1.start }
        var characteristics = server.characteristics.keys.sorted()[...]
        var attributes = server.types.keys.sorted()[...]
        return services.enumerated().map { index, service in
            var described = DescribedPeripheral.Service(service.uuid.description, isPrimary: service.isPrimary)
            let next = index + 1 < services.count ? Int(services[index + 1].start) : 0x1_0000
            let end = min(Int(service.end) + 1, next)
            characteristics = characteristics.drop { $0 <= service.start }
            while let handle = characteristics.first, Int(handle) < end {
                characteristics.removeFirst()
                guard let characteristic = server.characteristics[handle] else { continue }
                var made = Self.characteristic(characteristic, of: server)
                let last = min(end, characteristics.first.map { Int($0) } ?? end)
                attributes = attributes.drop { $0 <= handle }
                while let attribute = attributes.first, Int(attribute) < last {
                    attributes.removeFirst()
                    guard attribute > characteristic.valueHandle else { continue }
                    if let descriptor = Self.descriptor(attribute, of: server) { made.descriptors.append(descriptor) }
                }
                described.characteristics.append(made)
            }
            return described
        }
    }

    private static func characteristic(
        _ characteristic: CapturedServer.Characteristic, of server: CapturedServer
    ) -> DescribedPeripheral.Characteristic {
        var made = DescribedPeripheral.Characteristic(
            characteristic.uuid.description, properties: characteristic.properties)
        let handle = characteristic.valueHandle
        made.value = server.lastValue(of: handle) ?? []
        if let sent = server.notifications[handle], characteristic.properties & 0x30 != 0 {
            made.notifications = DescribedPeripheral.Notifications(
                every: .milliseconds(min(max(sent.interval ?? 1000, 1), 3_600_000)), sent.values)
            if sent.count > sent.values.count {
                made.comment = "The first \(sent.values.count) of \(sent.count) values that it sent."
            }
        }
        switch server.readErrors[handle] {
        case nil: break
        case 0x05: made.protection = .authentication
        case 0x0C, 0x0F: made.protection = .encryption
        case let error?: made.comment = "Reading it failed with the ATT error 0x\(Hex.text(error))."
        }
        return made
    }

    private static func descriptor(_ handle: UInt16, of server: CapturedServer) -> DescribedPeripheral.Descriptor? {
        guard let uuid = server.types[handle] else { return nil }
        // Declarations are no descriptors, and the simulation adds the descriptor that switches notifications.
        guard !["2800", "2801", "2802", "2803", "2902"].contains(uuid.description) else { return nil }
        return DescribedPeripheral.Descriptor(uuid.description, server.lastValue(of: handle) ?? [])
    }
}

extension CapturedServer {
    /// The value of Device Name (2A00); nil if it was not read or is empty.
    fileprivate var deviceName: String? {
        let handle =
            characteristics.values.first { $0.uuid.description == "2a00" }?.valueHandle
            ?? types.first { $0.value.description == "2a00" }?.key
        guard let name = handle.flatMap({ lastValue(of: $0) }), !name.isEmpty else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}

extension Target {
    /// Returns how well a device of a capture matches; nil if it does not match.
    fileprivate func match(_ name: String, address: String) -> Match? {
        BluetoothAddress(address).flatMap { match($0, name: name) }
    }
}
