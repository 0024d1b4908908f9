import DBus

/// Removes properties from replies and signals, as if the daemon did not have them (Q20, Q101).
struct PropertyRemover {
    private let missing: Set<String>

    /// Properties that older daemons do not have, or that are sometimes absent.
    private static let optional: Set<String> = [
        "Name", "Bonded", "LegacyPairing", "AdvertisingFlags", "Icon", "Appearance", "Modalias", "PowerState", "Roles",
        "WriteAcquired", "NotifyAcquired", "Includes", "Class",
    ]

    init(_ quirks: Set<Quirk>) {
        var missing = quirks.contains(.Q20) ? Self.optional : []
        if quirks.contains(.Q101) { missing.insert("MTU") }
        self.missing = missing
    }

    func reply(_ answer: Message, to call: Message) -> Message {
        guard let values = rewritten(answer) else { return answer }
        let new = try? Message.reply(to: call) { (body) throws(DBusError) in
            for value in values { try body.value(value) }
        }
        return new ?? answer
    }

    func signal(_ signal: Message) -> Message {
        guard let values = rewritten(signal), let path = signal.path, let interface = signal.interface,
            let member = signal.member
        else { return signal }
        let new = try? Message.signal(path: path, interface: interface, member: member) { (body) throws(DBusError) in
            for value in values { try body.value(value) }
        }
        return new ?? signal
    }

    private func rewritten(_ message: Message) -> [Value]? {
        guard !missing.isEmpty, message.kind == .reply || message.kind == .signal,
            let values = try? message.read({ (body) throws(DBusError) in try body.values() })
        else { return nil }
        return values.map(thinned)
    }

    private func thinned(_ value: Value) -> Value {
        guard case .dictionary(let key, let content, let entries) = value else { return value }
        let left = entries.filter { entry in
            if case .string(let name) = entry.key { !missing.contains(name) } else { true }
        }
        return .dictionary(key: key, value: content, left.map { Value.Entry($0.key, thinned($0.value)) })
    }
}
