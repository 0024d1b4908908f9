import DBus

/// Calls and paths that most tests need.
extension Stage {
    static let hci = "/org/bluez/hci0"
    static let strap = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    static let thermometer = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02"
    static let beacon = "/org/bluez/hci0/dev_C0_FF_EE_00_00_03"
    static let plug = "/org/bluez/hci0/dev_C0_FF_EE_00_00_04"
    static let twins = "/org/bluez/hci0/dev_C0_FF_EE_00_00_05"

    /// Calls a method of the adapter `hci0` and returns the reply as a line.
    @discardableResult
    func adapter(_ method: String, _ arguments: Value..., from client: Client? = nil) -> String {
        ask(Self.hci, "org.bluez.Adapter1.\(method)", arguments, from: client)
    }

    /// Calls a method of a device and returns the reply as a line.
    @discardableResult
    func device(_ path: String, _ method: String, from client: Client? = nil) -> String {
        ask(path, "org.bluez.Device1.\(method)", [], from: client)
    }

    /// Calls a method of a characteristic and returns the reply as a line.
    @discardableResult
    func characteristic(_ path: String, _ method: String, _ arguments: Value..., from client: Client? = nil) -> String {
        ask(path, "org.bluez.GattCharacteristic1.\(method)", arguments, from: client)
    }

    /// Reads a property. Returns its value as text, or the error.
    func property(_ path: String, _ interface: String, _ name: String) -> String {
        ask(
            path, "org.freedesktop.DBus.Properties.Get",
            [.string("org.bluez.\(interface)"), .string(name)], from: nil
        ).replacing("ok ", with: "")
    }

    /// Writes a property and returns the reply as a line.
    @discardableResult
    func set(_ path: String, _ interface: String, _ name: String, _ value: Value) -> String {
        ask(
            path, "org.freedesktop.DBus.Properties.Set",
            [.string("org.bluez.\(interface)"), .string(name), .variant(value)], from: nil)
    }

    private func ask(_ path: String, _ method: String, _ arguments: [Value], from client: Client?) -> String {
        let answer = (client ?? self.client).call(path, method, arguments)
        return wait(for: answer)
    }

    /// Advances virtual time until the reply arrives, within a limit. Returns the reply as a line.
    @discardableResult
    func wait(for answer: Answer, within milliseconds: Int = 60_000) -> String {
        var left = milliseconds
        while answer.isOpen, left > 0 {
            run(.milliseconds(1))
            left -= 1
        }
        return answer.line
    }

    /// Starts a scan, by default with LE transport and duplicate data (Q45, Q48).
    func scan(
        _ filter: [String: Value]? = ["Transport": .string("le"), "DuplicateData": .bool(true)],
        from client: Client? = nil
    ) {
        if let filter { adapter("SetDiscoveryFilter", .properties(filter), from: client) }
        adapter("StartDiscovery", from: client)
    }

    /// Scans, stops, connects a device and waits for its services. Clears the log.
    func connect(_ path: String) {
        scan()
        run(.milliseconds(500))
        device(path, "Connect")
        run(.milliseconds(300))
        adapter("StopDiscovery")
        run(.milliseconds(10))
        client.log.clear()
    }

    /// Returns the paths of all objects except `/org/bluez`. Clears the log.
    func objects(from client: Client? = nil) -> [String] {
        let answer = (client ?? self.client).call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", [])
        wait(for: answer)
        self.client.log.clear()
        guard case .dictionary(_, _, let entries)? = answer.values.first else { return [] }
        return entries.map(\.key.line).filter { $0 != "/org/bluez" }
    }
}
