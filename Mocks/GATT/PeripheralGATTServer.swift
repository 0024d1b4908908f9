/// The GATT server of a peripheral: its attributes with handles and values.
final class PeripheralGATTServer {
    private(set) var services: [ServerService] = []

    /// Creates the server of a peripheral and assigns the handles.
    ///
    /// There are enough handles: ``SimulatedPeripheral/check(_:_:)`` has limited the number of attributes.
    init(_ peripheral: SimulatedPeripheral) {
        var handles = Handles()
        for service in peripheral.allServices { services.append(ServerService(service, from: &handles)) }
    }

    /// Returns the characteristic with a UUID. If several have it, `index` selects one of them, from 0.
    func characteristic(_ uuid: String, index: Int = 0) -> ServerCharacteristic? {
        let uuid = FullUUID.described(uuid)
        let all = services.lazy.flatMap(\.characteristics).filter { $0.uuid == uuid }
        return all.dropFirst(index).first
    }

    /// Returns the characteristic with a handle.
    func characteristic(at handle: UInt16) -> ServerCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.handle == handle }
    }

    /// Returns the name in the GAP service as bluetoothd converts it; nil if there is none.
    func gapName(_ differences: VersionDifferences) -> String? {
        characteristic("2a00").flatMap { AdvertisingReport.text($0.value, isCut: differences.has(.cutNames)) }
    }

    var gapAppearance: UInt16? {
        guard let value = characteristic("2a01")?.value, value.count == 2 else { return nil }
        let appearance = UInt16(value[0]) | UInt16(value[1]) << 8
        return appearance == 0 ? nil : appearance
    }
}

/// The counter that assigns attribute handles, from 1.
struct Handles {
    private var next = 1

    /// Reserves consecutive handles and returns the first.
    mutating func take(_ count: Int = 1) -> UInt16 {
        defer { next += count }
        return UInt16(next)
    }
}

/// A service in the server's table.
final class ServerService {
    let uuid: String
    let isPrimary: Bool
    let includes: [String]
    let handle: UInt16
    private(set) var characteristics: [ServerCharacteristic] = []

    init(_ service: SimulatedService, from handles: inout Handles) {
        uuid = FullUUID.described(service.uuid)
        isPrimary = service.isPrimary
        includes = service.includes.map(FullUUID.described)
        handle = handles.take()
        for characteristic in service.characteristics {
            characteristics.append(ServerCharacteristic(characteristic, from: &handles))
        }
    }

    /// Whether a profile of bluetoothd claims the service and hides it: GAP, HID, Scan Parameters (Q109).
    /// The profiles for battery and device information do not claim their services.
    var isClaimed: Bool { ["00001800-", "00001812-", "00001813-"].contains { uuid.hasPrefix($0) } }
    var isBattery: Bool { uuid.hasPrefix("0000180f-") }
}

/// A descriptor in the server's table.
final class ServerDescriptor {
    let uuid: String
    let handle: UInt16
    let isWritable: Bool
    let protection: SimulatedProtection
    var value: [UInt8]

    init(_ descriptor: SimulatedDescriptor, handle: UInt16) {
        uuid = FullUUID.described(descriptor.uuid)
        self.handle = handle
        isWritable = descriptor.isWritable
        protection = descriptor.protection
        value = descriptor.value
    }

    /// Whether the descriptor is the Client Characteristic Configuration Descriptor (CCCD).
    var isSwitch: Bool { uuid.hasPrefix("00002902-") }
}
