import DBus
import RxBluetoothSupport

/// A service object of bluetoothd, `org.bluez.GattService1`.
final class RemoteService {
    let path: ObjectPath
    unowned let device: DaemonDevice
    private let service: ServerService
    private var characteristics: [RemoteCharacteristic] = []
    private var object: ServedObject?

    init(_ service: ServerService, of device: DaemonDevice) {
        self.service = service
        self.device = device
        path = device.path.appending("service" + service.handle.hexadecimal()) ?? device.path
        characteristics = service.characteristics.map { RemoteCharacteristic($0, of: self) }
    }

    static let table = InterfaceTable<RemoteService>(
        name: "org.bluez.GattService1",
        properties: [
            PropertyRow("Handle", "q", with: .handle) { .uint16($0.service.handle) },
            PropertyRow("UUID", "s") { .string($0.service.uuid) },
            PropertyRow("Device", "o") { .objectPath($0.device.path) },
            PropertyRow("Primary", "b") { .bool($0.service.isPrimary) },
            PropertyRow("Includes", "ao") { .array(of: "o", $0.included.map { .objectPath($0) }) },
        ])

    private var included: [ObjectPath] {
        device.services.filter { service.includes.contains($0.service.uuid) }.map(\.path)
    }

    func appear() {
        object = device.tree.add(
            TypedInterface(device.adapter.tables.service, of: self), at: path)
        for characteristic in characteristics { characteristic.appear() }
    }

    func disappear() {
        for characteristic in characteristics { characteristic.disappear() }
        if let object { device.tree.remove(object) }
        object = nil
    }

    func linkCameUp() {
        for characteristic in characteristics { characteristic.linkCameUp() }
    }

    func becameReady() {
        for characteristic in characteristics { characteristic.openSockets() }
    }

    func linkWentDown() {
        for characteristic in characteristics { characteristic.linkWentDown() }
    }

    /// Whether bluetoothd keeps a freed object of a characteristic (Q132).
    var hasFreedSocket: Bool { characteristics.contains(where: \.isSocketFreed) }

    /// The acquisitions of the service's characteristics.
    var acquisitions: [(number: Int, close: () -> Void)] { characteristics.flatMap(\.acquisitions) }

    /// Whether clients may only read the service's characteristics (Q109).
    var isReadOnly: Bool { service.isClaimed }

    func characteristic(of server: ServerCharacteristic) -> RemoteCharacteristic? {
        characteristics.first { $0.server === server }
    }
}
