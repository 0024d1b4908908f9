/// The attributes of a peripheral's GATT server.
extension SimulatedPeripheral {
    /// The largest handle, and therefore the largest number of attributes.
    ///
    /// Source: Bluetooth Core, Vol 3, Part F, 3.2.2.
    package static let mostAttributes = 0xFFFF

    /// The services of the description, after a GAP and a GATT service.
    ///
    /// If the description contains a GAP or GATT service, that service is used instead, at its place.
    var allServices: [SimulatedService] {
        let own = [
            SimulatedService("1800") {
                SimulatedCharacteristic("2a00", .read(Array(name.utf8)))
                SimulatedCharacteristic("2a01", .read(Self.bytes(advertisement?.appearance ?? 0)))
            },
            SimulatedService("1801") { SimulatedCharacteristic("2a05", .indicate) },
        ]
        let described = Set(services.map { FullUUID.described($0.uuid) })
        return own.filter { !described.contains(FullUUID.described($0.uuid)) } + services
    }

    /// The number of attributes of the peripheral's GATT server.
    package var attributeCount: Int { allServices.reduce(0) { $0 + $1.attributeCount } }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}

extension SimulatedService {
    /// The number of attributes of the service: its declaration and its characteristics.
    fileprivate var attributeCount: Int { 1 + characteristics.reduce(0) { $0 + $1.attributeCount } }
}

extension SimulatedCharacteristic {
    /// The number of attributes of the characteristic: its declaration, its value and its descriptors.
    fileprivate var attributeCount: Int { 2 + (hasSwitch ? 1 : 0) + descriptors.count }

    /// Whether the characteristic has a Client Characteristic Configuration Descriptor (2902).
    var hasSwitch: Bool {
        guard hasClientConfiguration else { return false }
        return behaviours.contains { behaviour in
            switch behaviour.kind {
            case .notify, .indicate: true
            case .read, .write, .writeWithoutResponse: false
            }
        }
    }
}
