import DBus

extension DaemonAdapter {
    private var ownName: String { hardware.name ?? "BlueZ \(differences.version)" }

    /// The UUIDs of bluetoothd's own services.
    var ownUUIDs: [String] { differences.adapterUUIDs.map(FullUUID.described) }

    /// The interface `org.bluez.Adapter1` as BlueZ serves it with `-E` (experimental features).
    static let table = InterfaceTable<DaemonAdapter>(
        name: "org.bluez.Adapter1",
        properties: [
            PropertyRow("Address", "s") { .string($0.hardware.address) },
            PropertyRow("AddressType", "s") { _ in .string("public") },
            PropertyRow("Name", "s") { .string($0.ownName) },
            PropertyRow("Alias", "s") {
                .string($0.alias ?? $0.ownName)
            } set: {
                $0.setAlias($1, $2)
            },
            PropertyRow("Class", "u") { _ in .uint32(0) },
            PropertyRow("Connectable", "b", with: .connectable) {
                .bool($0.isConnectable)
            } set: {
                $0.set(\.isConnectable, "Connectable", $1 == .bool(true), $2)
            },
            PropertyRow("Powered", "b") {
                .bool($0.isPowered)
            } set: {
                $0.setPowered($1, $2)
            },
            PropertyRow("PowerState", "s") { .string($0.power.rawValue) },
            PropertyRow("Discoverable", "b") {
                .bool($0.isDiscoverable)
            } set: {
                $0.setDiscoverable($1, $2)
            },
            PropertyRow("DiscoverableTimeout", "u") {
                .uint32($0.discoverableTimeout)
            } set: {
                $0.setTimeout(\.discoverableTimeout, "DiscoverableTimeout", $1, $2)
            },
            PropertyRow("Pairable", "b") {
                .bool($0.isPairable)
            } set: {
                $0.set(\.isPairable, "Pairable", $1 == .bool(true), $2)
            },
            PropertyRow("PairableTimeout", "u") {
                .uint32($0.pairableTimeout)
            } set: {
                $0.setTimeout(\.pairableTimeout, "PairableTimeout", $1, $2)
            },
            PropertyRow("Discovering", "b") { .bool($0.isDiscovering) },
            PropertyRow("UUIDs", "as") { .strings($0.ownUUIDs + $0.applications.uuids) },
            PropertyRow("Modalias", "s") { .string("usb:v1D6Bp0246d" + $0.differences.release) },
            PropertyRow("Roles", "as") { _ in .strings(["central", "peripheral"]) },
            PropertyRow("ExperimentalFeatures", "as") { _ in nil },
            // The company and the version of the virtual controller of a kernel: none, and Bluetooth 5.0.
            PropertyRow("Manufacturer", "q", with: .controllerVersion) { _ in .uint16(.max) },
            PropertyRow("Version", "y", with: .controllerVersion) { _ in .byte(9) },
        ],
        methods: [
            MethodRow("StartDiscovery") { (adapter, call) throws(DBusError) in try adapter.startDiscovery(call) },
            MethodRow("SetDiscoveryFilter", in: [ArgumentRow("properties", "a{sv}")]) {
                (adapter, call) throws(DBusError) in
                try adapter.setDiscoveryFilter(call)
            },
            MethodRow("StopDiscovery") { (adapter, call) throws(DBusError) in try adapter.stopDiscovery(call) },
            MethodRow("RemoveDevice", in: [ArgumentRow("device", "o")]) { (adapter, call) throws(DBusError) in
                try adapter.removeDevice(call)
            },
            MethodRow("GetDiscoveryFilters", out: [ArgumentRow("filters", "as")]) { (adapter, call) throws(DBusError) in
                adapter.tree.reply(call) { (body) throws(DBusError) in
                    try body.value(.strings(ClientDiscoveryFilter.names(with: adapter.differences.features)))
                }
            },
            MethodRow("ConnectDevice", in: [ArgumentRow("properties", "a{sv}")]) { (adapter, call) throws(DBusError) in
                try adapter.connectDevice(call)
            },
        ])

    private func set<Content: Equatable>(
        _ key: ReferenceWritableKeyPath<DaemonAdapter, Content>, _ name: String, _ value: Content, _ call: IncomingCall
    ) {
        tree.reply(call)
        guard self[keyPath: key] != value else { return }
        self[keyPath: key] = value
        changed(name)
        startTimeout(name)
    }

    private func setDiscoverable(_ value: Value, _ call: IncomingCall) {
        // While the adapter is off, bluetoothd accepts Discoverable only if DiscoverableTimeout is 0.
        if discoverableTimeout > 0, !isPowered { return tree.fail(call, BlueZError.failed("Not Powered")) }
        let isDiscoverable = value == .bool(true)
        // Newer versions first make the adapter connectable, which the kernel requires.
        if isDiscoverable, differences.has(.connectable), !isConnectable {
            isConnectable = true
            changed("Connectable")
        }
        set(\.isDiscoverable, "Discoverable", isDiscoverable, call)
        if !isDiscoverable { endConnectable() }
    }

    private func endConnectable() {
        guard differences.has(.connectable), isConnectable else { return }
        isConnectable = false
        changed("Connectable")
    }

    /// Sets a timeout property. Sends a signal even if the value does not change.
    private func setTimeout(
        _ key: ReferenceWritableKeyPath<DaemonAdapter, UInt32>, _ name: String, _ value: Value, _ call: IncomingCall
    ) {
        guard case .uint32(let seconds) = value else { return }
        tree.reply(call)
        self[keyPath: key] = seconds
        changed(name)
        startTimeout(name)
    }

    /// Restarts the timer that resets `Discoverable` or `Pairable`.
    ///
    /// `name` is the property that was set: one of these two, or its timeout property.
    private func startTimeout(_ name: String) {
        if name.hasPrefix("Discoverable") {
            discoverableEnd?.cancel()
            guard isDiscoverable, discoverableTimeout > 0 else { return }
            discoverableEnd = loop.after(.seconds(Int(discoverableTimeout))) { [weak self] in
                guard let self, isDiscoverable else { return }
                isDiscoverable = false
                changed("Discoverable")
                endConnectable()
            }
        } else {
            pairableEnd?.cancel()
            guard isPairable, pairableTimeout > 0 else { return }
            pairableEnd = loop.after(.seconds(Int(pairableTimeout))) { [weak self] in self?.setPairable(false) }
        }
    }

    func setPairable(_ isPairable: Bool) {
        guard self.isPairable != isPairable else { return }
        self.isPairable = isPairable
        changed("Pairable")
        startTimeout("Pairable")
    }

    private func setAlias(_ value: Value, _ call: IncomingCall) {
        guard case .string(let text) = value else { return }
        // bluetoothd cuts the name for the kernel after 247 bytes, and refuses it if that cuts a character (set_name).
        guard let name = String(validating: text.utf8.prefix(247), as: UTF8.self) else {
            return tree.fail(call, BlueZError.invalidArguments)
        }
        tree.reply(call)
        // An empty alias restores the computer's name.
        let new = name.isEmpty ? nil : name
        guard new != alias else { return }
        alias = new
        changed("Alias")
    }

    private func removeDevice(_ call: IncomingCall) throws(DBusError) {
        let path = try call.message.read { (body) throws(DBusError) in try body.objectPath() }
        guard let device = devicesInOrder.first(where: { $0.path == path }) else { throw BlueZError.doesNotExist }
        guard isPowered else { throw BlueZError.notReady }
        device.becomeTemporary(true)
        if device.link != nil || device.hasConnectedService {
            return device.requestDisconnect(call, removing: true)
        }
        remove(device)
        tree.reply(call)
    }
}
