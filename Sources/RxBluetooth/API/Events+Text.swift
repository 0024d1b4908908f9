internal import Logging

extension BluetoothEvent: CustomStringConvertible {
    /// The event in one line, with numbers of devices instead of addresses, names and values.
    public var description: String {
        let details = kind.details(.redacted).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        return kind.text + details.joined()
    }
}

extension BluetoothEvent.Kind {
    /// A fixed sentence for the kind of event, without its details.
    var text: String {
        switch self {
        case .stateChanged: "The state of Bluetooth changed."
        case .adapterChosen(let name): name == nil ? "No adapter is available." : "An adapter was chosen."
        case .daemonVersionKnown: "bluetoothd has shown its version."
        case .snapshotFailed: "Reading the objects of bluetoothd failed."
        case .scanBegan: "A discovery session started."
        case .scanRefused: "bluetoothd refused to start a discovery session."
        case .scanRestarted: "A discovery session stopped reporting and is restarted."
        case .scanEnded: "A discovery session ended."
        case .scanInterrupted: "A scan was interrupted."
        case .serviceFilterAvoided: "bluetoothd ended twice after a filter for services, which is not set any more."
        case .advertisementSourceLost: "The management socket failed, and scans continue over D-Bus."
        case .connection: "The state of a connection changed."
        case .connectRepeated: "The controller aborted an attempt to connect."
        case .reconnection: "A connection was lost or could not be made, and is retried."
        case .operationQueued: "An operation was queued."
        case .operationStarted: "An operation started."
        case .operationOverdue: "An operation takes much longer than usual."
        case .operationEnded: "An operation ended."
        case .operationDropped: "An operation was dropped before it started."
        case .valueDropped: "A notified value was dropped, because its subscriber is too slow."
        case .scanResultsDropped: "Scan results were dropped, because their subscriber is too slow."
        case .readingRefused: "The advertisement of a sensor was refused."
        case .linkNotClosed: "Closing the link failed; it may still be up."
        case .agentRefused(_, false): "bluetoothd refused to register the pairing agent."
        case .agentRefused(_, true): "bluetoothd refused to make the pairing agent the default."
        case .pairingAnswered: "The policy answered a pairing request."
        case .pairingUnanswered: "A pairing request has no subscriber to answer it."
        case .paired: "A device was paired."
        case .messageRejected: "bluetoothd sent a malformed message."
        case .requestDropped: "A request of a central was refused because too many wait for answers."
        case .signalForUnknownObject: "bluetoothd sent a signal for an object that no longer exists."
        }
    }

    /// Returns the details of the event as log metadata.
    ///
    /// - Parameter contents: Whether the details may contain data of devices.
    func details(_ contents: LogContents) -> Logger.Metadata {
        var details = Details(contents)
        switch self {
        case .stateChanged(let state): details["state"] = state.rawValue
        case .adapterChosen(let name): details["adapter"] = name ?? "none"
        case .daemonVersionKnown(let version): details["version"] = version.description
        case .scanBegan(let adapter), .scanRestarted(let adapter): details["adapter"] = adapter
        case .snapshotFailed(let error, let again): details.add(error, again)
        case .scanRefused(let adapter, let error, let again):
            details["adapter"] = adapter
            details.add(error, again)
        case .scanEnded(let adapter, let error):
            details["adapter"] = adapter
            details.add(error)
        case .scanInterrupted(let error, let again): details.add(error, again)
        case .serviceFilterAvoided: break
        case .advertisementSourceLost(let error): details.add(error)
        case .connection(let peripheral, let state): details.add(peripheral, state)
        case .connectRepeated(let peripheral, let aborts, let again):
            details.add(peripheral)
            details["aborts"] = "\(aborts)"
            details.add(nil, again)
        case .linkNotClosed(let peripheral, let error):
            details.add(peripheral)
            details.add(error)
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
        case .operationOverdue(let operation, let time, let usual):
            details.add(operation)
            details["running"] = "\(time)"
            details["usual"] = usual.map { "\($0)" }
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
        case .scanResultsDropped(let count, let total):
            details["dropped"] = "\(count)"
            details["count"] = "\(total)"
        case .readingRefused(let peripheral, let error):
            details.add(peripheral)
            details["format"] = error.subject
            if contents == .full { details["text"] = error.description }
        case .agentRefused(let error, _): details.add(error)
        case .pairingAnswered(let peripheral, let isAccepted):
            details.add(peripheral)
            details["isAccepted"] = "\(isAccepted)"
        case .pairingUnanswered(let peripheral), .paired(let peripheral): details.add(peripheral)
        case .messageRejected(let total), .signalForUnknownObject(let total), .requestDropped(let total):
            details["count"] = "\(total)"
        }
        return details.metadata
    }
}

/// Metadata of one event, without details that ``LogContents`` excludes from the log.
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

    /// Adds the code of an error, its D-Bus name, and the time until a repetition.
    ///
    /// The redacted log contains only names that BlueZ or D-Bus defines, and no texts. Other names and texts may
    /// contain an object path, which includes the address of a device.
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

    /// Returns whether BlueZ or D-Bus defines an error name: a known prefix, followed only by letters.
    private static func isOfVocabulary(_ name: String) -> Bool {
        ["org.bluez.Error.", "org.freedesktop.DBus.Error.", "org.freedesktop.DBus.Error.Spawn."].contains { prefix in
            let own = name.utf8.dropFirst(prefix.utf8.count)
            return name.hasPrefix(prefix) && !own.isEmpty
                && own.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        }
    }
}
