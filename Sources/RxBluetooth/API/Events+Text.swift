internal import Logging

extension BluetoothEvent: CustomStringConvertible {
    /// The event in one line, without addresses, names and values. Devices are numbered.
    public var description: String {
        let details = kind.details(.redacted).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        return kind.text + details.joined()
    }
}

extension BluetoothEvent.Kind {
    /// The kind of event as a sentence, which is the same for all events of the kind.
    var text: String {
        switch self {
        case .stateChanged: "The state of Bluetooth has changed."
        case .adapterChosen(let name): name == nil ? "No adapter is available." : "An adapter was chosen."
        case .snapshotFailed: "bluetoothd does not tell its objects."
        case .scanBegan: "A discovery session has begun."
        case .scanRefused: "bluetoothd refuses a discovery session."
        case .scanRestarted: "A scan does not go on, and is started anew."
        case .scanEnded: "A discovery session has ended."
        case .scanInterrupted: "A scan was interrupted."
        case .connection: "A connection has changed."
        case .connectRepeated: "The controller gave an attempt to connect up."
        case .reconnection: "A connection is to be made again."
        case .operationQueued: "An operation waits."
        case .operationStarted: "An operation has its turn."
        case .operationEnded: "An operation is over."
        case .operationDropped: "An operation never had its turn."
        case .valueDropped: "A notified value was lost."
        case .agentRefused(_, false): "bluetoothd does not take the agent."
        case .agentRefused(_, true): "The agent is not the default one."
        case .pairingAnswered: "The policy answers a request of pairing."
        case .pairingUnanswered: "Nobody is there to answer a request of pairing."
        case .paired: "A device is paired."
        case .messageRejected: "bluetoothd sent something malformed."
        case .signalForUnknownObject: "bluetoothd sent something about an object that is gone."
        }
    }

    /// The details of the event.
    func details(_ contents: LogContents) -> Logger.Metadata {
        var details = Details(contents)
        switch self {
        case .stateChanged(let state): details["state"] = state.rawValue
        case .adapterChosen(let name): details["adapter"] = name ?? "none"
        case .scanBegan(let adapter), .scanRestarted(let adapter): details["adapter"] = adapter
        case .snapshotFailed(let error, let again): details.add(error, again)
        case .scanRefused(let adapter, let error, let again):
            details["adapter"] = adapter
            details.add(error, again)
        case .scanEnded(let adapter, let error):
            details["adapter"] = adapter
            details.add(error)
        case .scanInterrupted(let error, let again): details.add(error, again)
        case .connection(let peripheral, let state): details.add(peripheral, state)
        case .connectRepeated(let peripheral, let aborts, let again):
            details.add(peripheral)
            details["aborts"] = "\(aborts)"
            details.add(nil, again)
        case .reconnection(let peripheral, let error, let failures, let again):
            details.add(peripheral)
            details["failures"] = "\(failures)"
            details.add(error, again)
        case .operationQueued(let operation, let waiting):
            details.add(operation)
            details["waiting"] = "\(waiting)"
        case .operationStarted(let operation, let waited):
            details.add(operation)
            details["waited"] = "\(waited)"
        case .operationEnded(let operation, let took, let error):
            details.add(operation)
            details["took"] = "\(took)"
            details.add(error)
        case .operationDropped(let operation, let waited, let error):
            details.add(operation)
            details["waited"] = "\(waited)"
            details.add(error)
        case .valueDropped(let characteristic, let total):
            details.add(characteristic.peripheral)
            details["handle"] = Hex.text(characteristic.handle)
            details["count"] = "\(total)"
        case .agentRefused(let error, _): details.add(error)
        case .pairingAnswered(let peripheral, let isAccepted):
            details.add(peripheral)
            details["isAccepted"] = "\(isAccepted)"
        case .pairingUnanswered(let peripheral), .paired(let peripheral): details.add(peripheral)
        case .messageRejected(let total), .signalForUnknownObject(let total): details["count"] = "\(total)"
        }
        return details.metadata
    }
}

/// Collects details, without those that the log must not contain.
private struct Details {
    let contents: LogContents
    var metadata: Logger.Metadata = [:]

    init(_ contents: LogContents) { self.contents = contents }

    subscript(key: String) -> String? {
        get { nil }
        set { metadata[key] = newValue.map { .string($0) } }
    }

    mutating func add(_ peripheral: Peripheral) {
        self["device"] = "\(peripheral.number)"
        if contents == .full { self["address"] = peripheral.description }
    }

    mutating func add(_ peripheral: Peripheral, _ state: ConnectionState) {
        add(peripheral)
        switch state {
        case .connecting: self["state"] = "connecting"
        case .connected: self["state"] = "connected"
        case .disconnecting: self["state"] = "disconnecting"
        case .disconnected(let cause):
            self["state"] = "disconnected"
            add(cause)
        }
    }

    mutating func add(_ operation: QueuedOperation) {
        add(operation.peripheral)
        self["number"] = "\(operation.number)"
        self["operation"] = operation.operation.rawValue
        if contents == .full { self["target"] = operation.target }
    }

    /// Adds the error's code, and its D-Bus name if BlueZ or D-Bus defines it.
    ///
    /// Any other name, and the text, may contain an object path and so an address.
    mutating func add(_ error: BluetoothError?, _ again: Duration? = nil) {
        if let again { self["again"] = "\(again)" }
        guard let error else { return }
        self["error"] = error.code
        if case .disconnected(let reason) = error.kind { self["reason"] = reason.rawValue }
        if let name = error.dbusName {
            self["name"] = contents == .full || Self.isOfVocabulary(name) ? name : "withheld"
        }
        if contents == .full { self["text"] = error.description }
    }

    /// Whether BlueZ or D-Bus defines the error name. Their own names consist of letters only.
    private static func isOfVocabulary(_ name: String) -> Bool {
        ["org.bluez.Error.", "org.freedesktop.DBus.Error.", "org.freedesktop.DBus.Error.Spawn."].contains { prefix in
            let own = name.utf8.dropFirst(prefix.utf8.count)
            return name.hasPrefix(prefix) && !own.isEmpty
                && own.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        }
    }
}
