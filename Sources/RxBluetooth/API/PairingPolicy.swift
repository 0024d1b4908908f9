/// The rules by which a manager answers pairing requests of bluetoothd.
///
/// The manager registers one agent for all its pairings. It registers the agent with its first connection, pairing or
/// subscription to ``BluetoothManager/pairingRequests``, and again after a restart of bluetoothd. If ``isDefault`` is
/// set, it registers the agent as soon as bluetoothd runs. Source: BlueZ, `agent-api.txt`.
public struct PairingPolicy: Hashable, Sendable {
    /// How pairing requests are answered.
    public enum Mode: Hashable, Sendable {
        /// No agent is registered.
        ///
        /// bluetoothd uses the agent of another program, for example of the desktop. If there is no agent at all,
        /// pairing works only if it needs neither display nor keyboard. An operation that needs pairing gets no answer
        /// for 30 s; after this time the link is lost.
        case noAgent
        /// All requests to this manager's agent are rejected.
        ///
        /// If bluetoothd asks this agent, see ``isDefault``, an operation on a protected attribute fails at once with
        /// ``BluetoothError/Kind/needsPairing``, and further operations of that connection fail with
        /// ``BluetoothError/Kind/connectionStalled``. bluetoothd closes the connection within 30 s unless the device is
        /// bonded. At the end of the connection, a device without a bond is removed from bluetoothd, because the
        /// attribute would stay busy; the next connection finds the device again. If bluetoothd asks the agent of
        /// another program, that agent decides.
        ///
        /// ``Peripheral/pair()`` can still succeed with Just Works pairing, for which bluetoothd sends no request.
        case refuse
        /// Just Works pairing is accepted; pairing with a passkey or a comparison is rejected.
        ///
        /// An operation on a protected attribute starts a pairing by itself. That pairing is accepted if bluetoothd
        /// asks this manager's agent; see ``isDefault``.
        case justWorks
        /// The manager answers with this passkey from 0 to 999999, for example one printed on the device.
        ///
        /// Requests for Just Works pairing or for a comparison of numbers are rejected, because neither uses the
        /// passkey. ``Peripheral/pair()`` can still succeed with Just Works pairing, for which bluetoothd sends no
        /// request.
        case passkey(UInt32)
        /// The subscribers of ``BluetoothManager/pairingRequests`` answer.
        case ask
    }

    /// How pairing requests are answered. Default: ``Mode/refuse``.
    public var mode: Mode
    /// The devices that may pair. Default: nil, all devices.
    ///
    /// Requests about other devices are rejected, and ``Peripheral/pair()`` with another device fails with
    /// ``BluetoothError/Kind/refused`` before anything is sent.
    ///
    /// The list also decides which devices may use services of this computer (`AuthorizeService`). With
    /// ``Mode/justWorks`` and ``Mode/passkey(_:)``, only the listed devices may; if the list is nil, no device may.
    /// With ``Mode/ask``, the user decides about the allowed devices. With ``Mode/refuse``, no device may.
    ///
    /// A bonded device with private addresses is allowed if the list has its identity address or the address of its
    /// first connection.
    public var allowed: Set<BluetoothAddress>?
    /// Whether the manager's agent is bluetoothd's default agent. Default: false.
    ///
    /// bluetoothd asks the default agent about pairings that no program requested: pairings that a device starts, or
    /// that a protected attribute requires. Only one agent can be the default, and desktops usually have a default
    /// agent. If no program requests to be the default, the agent that was registered first is the default.
    public var isDefault: Bool
    /// The time that the user has to answer before a request is rejected. Default: 30 s.
    ///
    /// The time is measured on the clock of ``Deadlines``. bluetoothd itself waits for 60 s.
    public var timeout: Duration

    /// Creates a policy. Traps if a passkey is above 999999.
    public init(
        _ mode: Mode = .refuse, allowed: Set<BluetoothAddress>? = nil, isDefault: Bool = false,
        timeout: Duration = .seconds(30)
    ) {
        if case .passkey(let passkey) = mode {
            precondition(passkey <= PairingRequest.highestPasskey, "A passkey has at most six digits.")
        }
        self.mode = mode
        self.allowed = allowed
        self.isDefault = isDefault
        self.timeout = timeout
    }

    /// Returns whether a device with these addresses may pair.
    func allows(_ addresses: [BluetoothAddress]) -> Bool {
        allowed.map { addresses.contains(where: $0.contains) } ?? true
    }

    /// The IO capability of the agent, which decides the pairing method; nil for no agent.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part H, 2.3.5.1.
    var capability: String? {
        switch mode {
        case .noAgent: nil
        case .refuse, .justWorks: "NoInputNoOutput"
        // Without a display: with a display, some devices would compare numbers instead of using the passkey.
        case .passkey: "KeyboardOnly"
        case .ask: "KeyboardDisplay"
        }
    }

    /// Whether bluetoothd may send the agent requests while this manager pairs a device.
    ///
    /// If true, pairings run one after another: bluetoothd sends an agent one request at a time, and fails a second
    /// pairing that needs an answer.
    var mayBeAsked: Bool {
        switch mode {
        case .noAgent, .refuse, .justWorks: false
        case .passkey, .ask: true
        }
    }

    /// Returns the answer to a question about a device with these addresses; nil if the user decides.
    func answer(to question: PairingRequest.Question, of addresses: [BluetoothAddress]) -> PairingRequest.Answer? {
        guard allows(addresses) else { return .reject }
        switch (mode, question) {
        case (.ask, _): return nil
        case (.noAgent, _), (.refuse, _): return .reject
        case (_, .displayPasskey), (_, .displayPinCode): return .accept
        // Pairing does not permit the use of services, so only devices in `allowed` may use them.
        case (_, .service): return allowed == nil ? .reject : .accept
        case (.justWorks, .authorization): return .accept
        case (.passkey(let passkey), .passkey): return .passkey(passkey)
        case (.passkey(let passkey), .pinCode):
            let digits = String(passkey)
            return .pinCode(String(repeating: "0", count: 6 - digits.count) + digits)
        // Rejects a number that the user cannot compare, and a method without the given passkey: neither is protected.
        case (.justWorks, _), (.passkey, _): return .reject
        }
    }
}
