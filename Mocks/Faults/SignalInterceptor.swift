import DBus

/// Sends the daemon's signals with the changes that the quirks require.
final class SignalInterceptor: BusProxy, @unchecked Sendable {
    // Guard: the mutable state is used only in the context of `bus`.
    private let interceptor: CallInterceptor
    private var held: [Message] = []
    private var stranger: (any Bus)?

    /// The quirks that need this class.
    static let quirks: Set<Quirk> = [.Q17, .Q19, .Q20, .Q72, .Q101]

    init(_ bus: any Bus, _ interceptor: CallInterceptor) {
        self.interceptor = interceptor
        super.init(bus)
    }

    override func send(_ message: Message) {
        guard message.kind == .signal else { return bus.send(message) }
        let values = (try? message.read { (body) throws(DBusError) in try body.values() }) ?? []
        let subject: ObjectPath? = if case .objectPath(let path)? = values.first { path } else { nil }
        if interceptor.quirks.contains(.Q72), message.member == "InterfacesAdded", subject?.isInDevice == true {
            return held.append(message)
        }
        bus.send(interceptor.propertyRemover.signal(message))
        switch message.member {
        case "InterfacesAdded":
            if interceptor.quirks.contains(.Q17), let subject, subject.isDevice { forge(subject) }
        case "InterfacesRemoved":
            if interceptor.quirks.contains(.Q19), let subject, subject.isDevice {
                change(subject, "RSSI", .int16(-60)).map(bus.send)
            }
        case "PropertiesChanged":
            if !held.isEmpty, values.count > 1, values[1].contains("ServicesResolved", .bool(true)) { releaseLater() }
        default: break
        }
    }

    /// Announces the GATT objects 50 ms after `ServicesResolved` (Q72).
    private func releaseLater() {
        bus.schedule(after: .milliseconds(50)) { [self] in
            let all = held
            held = []
            for message in all { bus.send(interceptor.propertyRemover.signal(message)) }
        }
    }

    /// Sends a forged signal from another connection (Q17).
    private func forge(_ device: ObjectPath) {
        if stranger == nil { stranger = interceptor.simulation?.anotherConnection() }
        if let stranger { change(device, "Connected", .bool(true)).map(stranger.send) }
    }

    private func change(_ device: ObjectPath, _ property: String, _ value: Value) -> Message? {
        try? Message.signal(
            path: device, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            { (body) throws(DBusError) in
                try body.string("org.bluez.Device1")
                try body.properties([property: value])
                try body.value(.strings([]))
            })
    }
}

extension ObjectPath {
    fileprivate var isDevice: Bool { name.hasPrefix("dev_") }
    /// Whether the path is that of a GATT object.
    fileprivate var isInDevice: Bool { !isDevice && description.contains("/dev_") }
}

extension Value {
    fileprivate func contains(_ name: String, _ value: Value) -> Bool {
        guard case .dictionary(_, _, let entries) = self else { return false }
        return entries.contains(Entry(.string(name), .variant(value)))
    }
}
