import DBus

/// The battery level of a connected device, `org.bluez.Battery1`, which bluetoothd reads by itself.
/// Source: BlueZ 5.66, profiles/battery/battery.c and src/battery.c.
final class Battery {
    private unowned let device: DaemonDevice
    private let link: DaemonLink
    private let level: ServerCharacteristic
    private var percentage: UInt8 = .max
    private var interface: TypedInterface<Battery>?

    /// Returns nil if the device has no battery level. Only the first Battery Service counts.
    init?(of device: DaemonDevice, _ link: DaemonLink) {
        let service = link.deviceState.server.services.first { $0.isBattery }
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

    /// Whether bluetoothd has subscribed to the level.
    private var isSubscribed = false

    func isSubscribed(to characteristic: ServerCharacteristic) -> Bool { isSubscribed && characteristic === level }

    /// Reads the level and subscribes to it, unless it has no notifications. Then bluetoothd adds the interface.
    func start() {
        link.request(needing: level.protection) { [level] in
            level.read()
        } _: { [weak self] outcome in
            guard let self, case .value(let value) = outcome, let first = value.first else { return }
            subscribe(first)
        }
    }

    private func subscribe(_ initial: UInt8) {
        guard level.notifications != nil else { return appear(initial) }
        link.request(needing: level.protection) {
            .accepted
        } _: { [weak self] outcome in
            guard let self, case .accepted = outcome else { return }
            isSubscribed = true
            appear(initial)
            device.remote(level)?.startClock()
        }
    }

    private func appear(_ initial: UInt8) {
        guard let object = device.object else { return }
        let interface = TypedInterface(Self.table, of: self)
        self.interface = interface
        device.tree.add(interface, to: object)
        take(initial)
    }

    /// Updates the level. Ignores values above 100.
    func take(_ new: UInt8) {
        guard new != percentage, new <= 100 else { return }
        percentage = new
        if let interface, let object = device.object { device.tree.changed(interface, of: object, "Percentage") }
    }

    /// Removes the interface when the link ends.
    func end() {
        isSubscribed = false
        if let interface, let object = device.object { device.tree.remove(interface, from: object) }
        interface = nil
    }
}
