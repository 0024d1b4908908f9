import DBus

/// The charge of a connected device, `org.bluez.Battery1` on the device's object: what bluetoothd's own client of the
/// Battery Service makes of it. Source: BlueZ 5.66, profiles/battery/battery.c and src/battery.c.
final class Battery {
    private unowned let device: DaemonDevice
    private let link: DaemonLink
    private let level: ServerCharacteristic
    private var percentage: UInt8 = .max
    private var interface: TypedInterface<Battery>?

    /// Nil for a device without a battery level. Of several Battery Services only the first counts.
    init?(of device: DaemonDevice, _ link: DaemonLink) {
        let service = link.deviceState.server.services.first { $0.uuid.hasPrefix("0000180f-") }
        guard let level = service?.characteristics.first(where: { $0.uuid.hasPrefix("00002a19-") }) else { return nil }
        self.device = device
        self.link = link
        self.level = level
    }

    static let table = InterfaceTable<Battery>(
        name: "org.bluez.Battery1",
        properties: [
            PropertyRow("Percentage", "y") { $0.percentage > 100 ? nil : .byte($0.percentage) },
            PropertyRow("Source", "s") { _ in .string("GATT Battery Service") },
        ])

    /// Whether bluetoothd has switched the level's notifications on for itself.
    private var isSubscribed = false

    func isSubscribed(to characteristic: ServerCharacteristic) -> Bool { isSubscribed && characteristic === level }

    /// Reads the level, then switches its notifications on; only a level that notifies gets the interface.
    func start() {
        link.request(needing: level.protection) { [level] in
            level.read()
        } _: { [weak self] outcome in
            guard let self, case .value(let value) = outcome, let first = value.first else { return }
            subscribe(first)
        }
    }

    private func subscribe(_ initial: UInt8) {
        guard level.notifications != nil else { return }
        link.request(needing: level.protection) {
            .accepted
        } _: { [weak self] outcome in
            guard let self, case .accepted = outcome, let object = device.object else { return }
            let interface = TypedInterface(Self.table, of: self)
            self.interface = interface
            isSubscribed = true
            device.tree.add(interface, to: object)
            take(initial)
            device.remote(level)?.startClock()
        }
    }

    /// A level above 100 is not one, and is passed over.
    func take(_ new: UInt8) {
        guard new != percentage, new <= 100 else { return }
        percentage = new
        if let interface, let object = device.object { device.tree.changed(interface, of: object, "Percentage") }
    }

    /// The link is gone, and the interface with it.
    func end() {
        isSubscribed = false
        if let interface, let object = device.object { device.tree.remove(interface, from: object) }
        interface = nil
    }
}
