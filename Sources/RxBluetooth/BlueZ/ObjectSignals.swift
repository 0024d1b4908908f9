import DBus

/// Applies the signals of bluetoothd to the mirror of its objects.
final class ObjectSignals {
    private let mirror: ObjectMirror
    private let link: (DeviceKey) -> Link?
    private var subscriptions: [BusTask] = []
    /// The subscription to changed properties: of all objects, or only of adapters.
    private var properties: BusTask?

    /// - Parameter link: Returns the link of a device. The link records the reason that bluetoothd announces for its
    ///   end (Q86).
    init(_ mirror: ObjectMirror, link: @escaping (DeviceKey) -> Link?) {
        self.mirror = mirror
        self.link = link
    }

    /// Subscribes with four rules for all objects. Each rule names its sender (Q17).
    ///
    /// The bus compares every signal with every rule, so more rules cost more (Q10).
    func subscribe(_ bus: BusContext) {
        followDevices(true, bus)
        subscriptions = [
            // These two signals come from "/", so the first argument distinguishes bluetoothd's objects.
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesAdded",
                    firstArgumentPath: "/org/bluez")
            ) { [weak self] in self?.interfacesAdded($0) },
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesRemoved",
                    firstArgumentPath: "/org/bluez")
            ) { [weak self] in self?.interfacesRemoved($0) },
            bus.subscribe(
                // Both `Device1` and `Bearer.LE1` have this signal.
                MatchRule(sender: BlueZ.name, member: "Disconnected", path: "/org/bluez", includesChildren: true)
            ) { [weak self] in self?.disconnected($0) },
        ]
    }

    /// Selects whether the changed properties of all objects are received, or only those of adapters.
    ///
    /// The new rule is added before the old one is removed, so that no change of an adapter is missed.
    func followDevices(_ followsDevices: Bool, _ bus: BusContext) {
        let rule = MatchRule(
            sender: BlueZ.name, interface: BlueZ.properties, member: "PropertiesChanged", path: "/org/bluez",
            includesChildren: true, firstArgument: followsDevices ? nil : BlueZ.adapter)
        let previous = properties
        properties = bus.subscribe(rule) { [weak self] in self?.propertiesChanged($0) }
        previous?.cancel()
    }

    private func propertiesChanged(_ signal: Message) {
        guard mirror.isSynced, let key = signal.withPath({ ObjectKey(path: $0) }) else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                guard let interface = try body.withString({ BlueZ.Interface(bytes: $0) }) else { return }
                try mirror.change(key, interface, &body)
            }
        } catch {
            mirror.recordRejection()
        }
    }

    private func interfacesAdded(_ signal: Message) {
        guard mirror.isSynced else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                guard let key = ObjectKey(try body.objectPath()) else { return }
                try mirror.add(key, &body)
            }
        } catch {
            mirror.recordRejection()
        }
    }

    private func interfacesRemoved(_ signal: Message) {
        guard mirror.isSynced else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                guard let key = ObjectKey(try body.objectPath()) else { return }
                try body.array { (name) throws(DBusError) in
                    if let interface = try name.withString({ BlueZ.Interface(bytes: $0) }) {
                        mirror.remove(key, interface)
                    }
                }
            }
        } catch {
            mirror.recordRejection()
        }
    }

    private func disconnected(_ signal: Message) {
        guard mirror.isSynced, case .device(let key)? = signal.withPath({ ObjectKey(path: $0) }), let link = link(key)
        else { return }
        // With a bearer of its own, the LE link has its own reason. That of the device may belong to BR/EDR.
        let isOfLE = mirror.devices[key]?.bearers.lowEnergy != nil
        guard signal.interface == (isOfLE ? BlueZ.bearerLE : BlueZ.device) else { return }
        do throws(DBusError) {
            link.announce(try signal.read { (body) throws(DBusError) in try body.string() })
        } catch {
            mirror.recordRejection()
        }
    }
}
