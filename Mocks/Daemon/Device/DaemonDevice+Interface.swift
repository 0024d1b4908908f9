import DBus

extension DaemonDevice {
    /// The interface `org.bluez.Device1` of an LE device, as BlueZ serves it with `-E` (experimental).
    static let table = InterfaceTable<DaemonDevice>(
        name: "org.bluez.Device1",
        properties: [
            PropertyRow("Address", "s") { .string($0.address.text) },
            PropertyRow("AddressType", "s") { .string($0.address.isRandom ? "random" : "public") },
            PropertyRow("Name", "s") { $0.name.map(Value.string) },
            PropertyRow("Alias", "s") {
                .string($0.shownName)
            } set: {
                $0.setAlias($1, $2)
            },
            // Class is absent, because only BR/EDR devices have it.
            PropertyRow("Class", "u") { _ in nil },
            PropertyRow("Appearance", "q") { $0.appearance.map(Value.uint16) },
            PropertyRow("Icon", "s") { $0.icon.map(Value.string) },
            PropertyRow("Paired", "b") { .bool($0.isPaired) },
            PropertyRow("Bonded", "b") { .bool($0.isBonded) },
            PropertyRow("Trusted", "b") {
                .bool($0.isTrusted)
            } set: {
                $0.set(\.isTrusted, "Trusted", $1, $2)
            },
            PropertyRow("Blocked", "b") {
                .bool($0.isBlocked)
            } set: {
                $0.set(\.isBlocked, "Blocked", $1, $2)
            },
            PropertyRow("LegacyPairing", "b") { _ in .bool(false) },
            // CablePairing is false, because only game controllers pair over a cable.
            PropertyRow("CablePairing", "b", with: .cablePairing) { _ in .bool(false) },
            PropertyRow("RSSI", "n") { $0.rssi == 0 ? nil : .int16($0.rssi) },
            PropertyRow("Connected", "b") { .bool($0.link != nil) },
            PropertyRow("UUIDs", "as") { .strings($0.resolvedServices ?? $0.advertisedServices) },
            // Modalias is absent, because the profiles that set it are not simulated.
            PropertyRow("Modalias", "s") { _ in nil },
            PropertyRow("Adapter", "o") { .objectPath($0.adapter.path) },
            PropertyRow("ManufacturerData", "a{qv}") { $0.manufacturerData.value },
            PropertyRow("ServiceData", "a{sv}") { $0.serviceData.value },
            PropertyRow("TxPower", "n") { $0.txPower.map(Value.int16) },
            PropertyRow("ServicesResolved", "b") { .bool($0.areServicesResolved) },
            PropertyRow("AdvertisingFlags", "ay") { $0.flags.map { .bytes([$0]) } },
            // AdvertisingData has the fields without their own property. Simulated advertisements have no such fields.
            PropertyRow("AdvertisingData", "a{yv}") { _ in nil },
            // WakeAllowed is absent, because only devices that can wake the computer have it, such as mice.
            PropertyRow("WakeAllowed", "b") {
                _ in
                nil
            } set: {
                _, _, call in
                call.fail(BlueZError.notSupported)
            },
            PropertyRow("Sets", "a{oa{sv}}", with: .deviceSets) { _ in nil },
            PropertyRow("PreferredBearer", "s", with: .preferredBearer) {
                $0.seemsDual ? .string($0.preferredBearer) : nil
            } set: {
                $0.setPreferredBearer($1, $2)
            },
        ],
        methods: [
            MethodRow("Disconnect") { (device, call) throws(DBusError) in device.requestDisconnect(call) },
            MethodRow("Connect") { (device, call) throws(DBusError) in try device.connect(call) },
            MethodRow("ConnectProfile", in: [ArgumentRow("UUID", "s")]) { (device, call) throws(DBusError) in
                try device.connectProfile(call)
            },
            MethodRow("DisconnectProfile", in: [ArgumentRow("UUID", "s")]) { (_, _) throws(DBusError) in
                throw BlueZError.invalidArguments
            },
            MethodRow("Pair") { (device, call) throws(DBusError) in try device.pair(call) },
            MethodRow("CancelPairing") { (device, call) throws(DBusError) in try device.cancelPairing(call) },
            // The records of SDP exist only for BR/EDR devices.
            MethodRow("GetServiceRecords", out: [ArgumentRow("Records", "aay")], with: .serviceRecords) {
                (_, _) throws(DBusError) in
                throw BlueZError.doesNotExist
            },
        ],
        signals: [
            SignalRow(
                name: disconnectedRow.name, arguments: disconnectedRow.arguments, feature: .disconnectedSignal)
        ])

    /// The indices of the properties that change with every packet.
    struct Index {
        let rssi: Int
        let manufacturerData: Int
        let serviceData: Int

        init(in table: InterfaceTable<DaemonDevice>) {
            func index(_ name: String) -> Int { table.properties.firstIndex { $0.name == name } ?? 0 }
            rssi = index("RSSI")
            manufacturerData = index("ManufacturerData")
            serviceData = index("ServiceData")
        }
    }

    /// The alias, the name, or else the address with dashes (Q56).
    private var shownName: String {
        alias ?? name ?? address.text.split(separator: ":").joined(separator: "-")
    }

    /// The icon name for the appearance. Source: gap_appearance_to_icon in src/dbus-common.c.
    private var icon: String? {
        guard let appearance else { return nil }
        switch appearance >> 6 {
        case 0: return "unknown"
        case 1: return "phone"
        case 2: return "computer"
        case 5: return "video-display"
        case 10: return "multimedia-player"
        case 11: return "scanner"
        case 15:
            return [
                1: "input-keyboard", 2: "input-mouse", 3: "input-gaming", 4: "input-gaming", 5: "input-tablet",
                8: "scanner",
            ][appearance & 0x3F]
        default: return nil
        }
    }

    /// Sets the alias. For a device, the signal precedes the reply; for an adapter, it follows the reply.
    private func setAlias(_ value: Value, _ call: IncomingCall) {
        guard case .string(let text) = value else { return }
        defer { tree.reply(call) }
        let new = text.isEmpty ? nil : text
        guard new != alias else { return }
        alias = new
        store()
        changed("Alias")
    }

    private func set(
        _ key: ReferenceWritableKeyPath<DaemonDevice, Bool>, _ name: String, _ value: Value, _ call: IncomingCall
    ) {
        let isSet = value == .bool(true)
        guard self[keyPath: key] != isSet else { return tree.reply(call) }
        self[keyPath: key] = isSet
        // Blocking makes a device permanent (device_block). Trusting does not (btd_device_set_trusted).
        if isBlocked { becomeTemporary(false) }
        store()
        changed(name)
        tree.reply(call)
        if isBlocked, link != nil { linkEnded(.local) }
    }
}
