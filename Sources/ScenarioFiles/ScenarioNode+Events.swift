import RxBluetoothMocks

/// Reads events. An event is a time, one action, and the action's arguments.
extension ScenarioNode {
    typealias ScenarioAction = @Sendable (SimulatedBlueZ) -> Void

    private static let actions: [(name: String, details: [String])] = [
        ("drop-link", ["reason"]), ("out-of-range", []), ("in-range", []), ("strength", ["rssi"]), ("silence", []),
        ("advertise", ["advertisement"]), ("reset", ["silence-for"]), ("rotate-address", ["to"]),
        ("set-value", ["characteristic", "index", "value"]), ("notify", ["characteristic", "index", "value"]),
        ("change-services", ["services", "announced"]), ("lose-bond", []), ("power", ["adapter"]),
        ("rfkill", ["adapter"]), ("unplug", []), ("plug", ["address", "name"]), ("replug", ["as", "after"]),
        ("daemon", []), ("lose-bus", []), ("signal", ["about", "adapter"]), ("rival", ["with", "adapter"]),
        ("open-channel", ["psm", "value"]),
    ]

    /// Reads an event.
    func event(_ known: inout KnownPeripherals) throws(ScenarioFileError) -> ScriptedEvent {
        let time = try required("at", in: try allParts(and: ["at"])).time()
        let action = try action(&known, and: ["at"])
        return at(time, action)
    }

    private func allParts(and others: [String]) throws(ScenarioFileError) -> [String: ScenarioNode] {
        let names = Self.actions.map(\.name)
        return try parts(
            Set(names + Self.actions.flatMap(\.details) + others),
            expected: ("the keys of an event", "one of \((others + names).joined(separator: ", "))"))
    }

    /// Reads an action.
    func action(_ known: inout KnownPeripherals, and others: [String] = []) throws(ScenarioFileError) -> ScenarioAction
    {
        let parts = try allParts(and: others)
        let given = Self.actions.filter { parts[$0.name] != nil }
        guard given.count == 1, let part = parts[given[0].name] else {
            throw error(
                given.isEmpty ? "\(name) has no action" : "\(name) has several actions",
                "one of \(Self.actions.map(\.name).joined(separator: ", "))")
        }
        for key in parts.keys.sorted()
        where key != given[0].name && !given[0].details.contains(key) && !others.contains(key) {
            throw parts[key]?.error("\(key) cannot be combined with \(given[0].name)", "only keys of \(given[0].name)")
                ?? error("unexpected key \(key)", "only keys of \(given[0].name)")
        }
        return try action(given[0].name, part, parts, &known)
    }

    private func action(
        _ name: String, _ part: ScenarioNode, _ parts: [String: ScenarioNode], _ known: inout KnownPeripherals
    ) throws(ScenarioFileError) -> ScenarioAction {
        switch name {
        case "power":
            let (isOn, number) = (try part.truth(), try adapterNumber(parts))
            return { $0.setPower(isOn, adapter: number) }
        case "rfkill":
            let (isBlocked, number) = (try part.truth(), try adapterNumber(parts))
            return { $0.setBlocked(isBlocked, adapter: number) }
        case "unplug":
            let number = try part.adapterNumber()
            return { $0.removeAdapter(number) }
        case "plug":
            let number = try part.adapterNumber()
            var adapter = SimulatedAdapter()
            if let part = parts["address"] { adapter.address = try part.address() }
            if let part = parts["name"] { adapter.name = try part.text() }
            return { [adapter] in $0.addAdapter(adapter, as: number) }
        case "replug":
            let number = try part.adapterNumber()
            let other = try parts["as"].or(nil) { e throws(ScenarioFileError) in try e.adapterNumber() }
            let delay = try parts["after"].or(.seconds(1)) { e throws(ScenarioFileError) in try e.time() }
            return { $0.replugAdapter(number, as: other, after: delay) }
        case "daemon":
            switch try part.text() {
            case "crash": return { $0.crash() }
            case "stop": return { $0.stop() }
            case "start": return { $0.start() }
            default: throw part.wrong("crash, stop or start")
            }
        case "lose-bus":
            guard try part.truth() else { throw part.wrong("true") }
            return { $0.loseBus() }
        case "signal":
            let signal = try part.choice(MalformedSignal.self)
            let address = try required("about", in: parts).address()
            let number = try adapterNumber(parts)
            return { $0.send(signal, about: address, adapter: number) }
        case "rival": return try rival(part, parts)
        default: return try action(name, on: try part.known(known), parts, &known)
        }
    }

    private func rival(_ part: ScenarioNode, _ parts: [String: ScenarioNode]) throws(ScenarioFileError)
        -> ScenarioAction
    {
        let number = try adapterNumber(parts)
        switch try part.text() {
        case "scan": return { $0.competingClient().startDiscovery(adapter: number) }
        case "power-off": return { $0.competingClient().setPower(false, adapter: number) }
        case "power-on": return { $0.competingClient().setPower(true, adapter: number) }
        default: break
        }
        let choices = "scan, connect, disconnect, remove, power-off or power-on"
        guard ["connect", "disconnect", "remove"].contains(try part.text()) else { throw part.wrong(choices) }
        let address = try required("with", in: parts).address()
        switch try part.text() {
        case "connect": return { $0.competingClient().connect(address, adapter: number) }
        case "disconnect": return { $0.competingClient().disconnect(address, adapter: number) }
        default: return { $0.competingClient().remove(address, adapter: number) }
        }
    }

    private func adapterNumber(_ parts: [String: ScenarioNode]) throws(ScenarioFileError) -> Int {
        try parts["adapter"].or(0) { e throws(ScenarioFileError) in try e.adapterNumber() }
    }

    private func adapterNumber() throws(ScenarioFileError) -> Int { try number(0...99) }

    private func known(_ known: KnownPeripherals) throws(ScenarioFileError) -> String {
        let address = try address()
        guard known.characteristics[address] != nil else {
            throw error("no peripheral has the address \(address)", "the address of a peripheral of this file")
        }
        return address
    }

    private func action(
        _ name: String, on address: String, _ parts: [String: ScenarioNode], _ known: inout KnownPeripherals
    ) throws(ScenarioFileError) -> ScenarioAction {
        switch name {
        case "drop-link":
            let reason = try parts["reason"].or(.remote) { e throws(ScenarioFileError) in
                try e.choice(SimulatedDisconnectReason.self)
            }
            return { $0.dropLink(to: address, reason: reason) }
        case "out-of-range": return { $0.setInRange(false, address) }
        case "in-range": return { $0.setInRange(true, address) }
        case "strength":
            let rssi = try required("rssi", in: parts).number(-127...20)
            return { $0.setStrength(rssi, of: address) }
        case "silence": return { $0.advertise(nil, from: address) }
        case "advertise":
            let advertisement = try required("advertisement", in: parts).advertisement()
            return { $0.advertise(advertisement, from: address) }
        case "reset":
            let silence = try parts["silence-for"].or(.seconds(1)) { e throws(ScenarioFileError) in try e.time() }
            return { $0.reset(address, silentFor: silence) }
        case "lose-bond": return { $0.loseBond(of: address) }
        case "open-channel":
            let psm = UInt16(try required("psm", in: parts).number(1...0xFF))
            let packets = try parts["value"].or([]) { e throws(ScenarioFileError) in [try e.bytes(atMost: 512)] }
            return { $0.openChannel(.echo(), from: address, psm: psm, sending: packets) }
        case "rotate-address":
            let new = try parts["to"].or(nil) { e throws(ScenarioFileError) in try e.address() }
            if let new, let part = parts["to"], !known.addresses.insert(new).inserted {
                throw part.error("the address \(new) is in use", "an address that nothing else uses")
            }
            return { $0.rotateAddress(of: address, to: new) }
        case "change-services":
            let services = try required("services", in: parts).services(of: known.peripheral(address))
            known.add(services, of: address)
            let isAnnounced = try parts["announced"].or(true) { e throws(ScenarioFileError) in try e.truth() }
            return { $0.changeServices(of: address, announced: isAnnounced, to: services) }
        default:
            let entry = try required("characteristic", in: parts)
            let uuid = try entry.uuid()
            guard known.has(uuid, of: address) else {
                throw entry.wrong("the UUID of a characteristic of \(address)")
            }
            let value = try required("value", in: parts).bytes(atMost: 512)
            let index = try parts["index"].or(0) { e throws(ScenarioFileError) in try e.number(0...999) }
            return { $0.hold(value, for: address, uuid, index, notifying: name == "notify") }
        }
    }
}
