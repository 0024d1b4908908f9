/// A peripheral's GATT server: its table of attributes with their handles, and the values that they hold.
final class GattServer {
    private(set) var services: [ServerService] = []

    /// Lays the table out as peripherals commonly do: GAP, then GATT with Service Changed, then the services described.
    /// A description with a GAP or GATT service of its own has that one alone, where it stands.
    init(_ peripheral: SimulatedPeripheral) {
        var handle: UInt16 = 1
        let own = [
            SimulatedService("1800") {
                SimulatedCharacteristic("2a00", .read(Array(peripheral.name.utf8)))
                SimulatedCharacteristic("2a01", .read(Self.bytes(peripheral.advertisement?.appearance ?? 0)))
            },
            SimulatedService("1801") { SimulatedCharacteristic("2a05", .indicate) },
        ]
        let described = Set(peripheral.services.map { FullUUID.described($0.uuid) })
        let standard = own.filter { !described.contains(FullUUID.described($0.uuid)) }
        for service in standard + peripheral.services { services.append(ServerService(service, from: &handle)) }
    }

    /// The first characteristic of a UUID; `index` counts further ones of the same.
    func characteristic(_ uuid: String, index: Int = 0) -> ServerCharacteristic? {
        let uuid = FullUUID.described(uuid)
        let all = services.lazy.flatMap(\.characteristics).filter { $0.uuid == uuid }
        return all.dropFirst(index).first
    }

    var gapName: String? {
        characteristic("2a00").flatMap { Report.text($0.value) }
    }

    var gapAppearance: UInt16? {
        guard let value = characteristic("2a01")?.value, value.count == 2 else { return nil }
        let appearance = UInt16(value[0]) | UInt16(value[1]) << 8
        return appearance == 0 ? nil : appearance
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}

/// A service in a server's table.
final class ServerService {
    let uuid: String
    let isPrimary: Bool
    let handle: UInt16
    private(set) var characteristics: [ServerCharacteristic] = []

    init(_ service: SimulatedService, from next: inout UInt16) {
        uuid = FullUUID.described(service.uuid)
        isPrimary = service.isPrimary
        handle = next
        next += 1
        for characteristic in service.characteristics {
            characteristics.append(ServerCharacteristic(characteristic, from: &next))
        }
    }

    /// Whether bluetoothd takes it for itself: GAP, HID and scan parameters have profiles of their own, which claim them
    /// (Q109). The profiles for battery and device information claim nothing.
    var isClaimed: Bool { ["00001800-", "00001812-", "00001813-"].contains { uuid.hasPrefix($0) } }
}

/// A descriptor in a server's table.
final class ServerDescriptor {
    let uuid: String
    let handle: UInt16
    let isWritable: Bool
    var value: [UInt8]

    init(_ descriptor: SimulatedDescriptor, handle: UInt16) {
        uuid = FullUUID.described(descriptor.uuid)
        self.handle = handle
        isWritable = descriptor.isWritable
        value = descriptor.value
    }

    /// The one that switches notifications (CCCD).
    var isSwitch: Bool { uuid.hasPrefix("00002902-") }
}
