/// How a manager answers pairing requests of bluetoothd.
///
/// The manager registers one agent for all its pairings: with its first connection, pairing or subscription to
/// ``BluetoothManager/pairingRequests``, and again after a restart of bluetoothd. With ``isDefault`` it is registered
/// as soon as bluetoothd runs. Source: BlueZ, `agent-api.txt`.
public struct PairingPolicy: Hashable, Sendable {
    /// How requests are answered.
    public enum Mode: Hashable, Sendable {
        /// No agent is registered.
        ///
        /// bluetoothd then uses the agent of another program, such as a desktop's. Without any, pairing works only if
        /// it needs neither display nor keyboard. An operation that needs pairing gets no answer for 30 s, after which
        /// the link is lost.
        case noAgent
        /// All requests are rejected.
        ///
        /// An operation on a protected attribute fails at once with ``BluetoothError/Kind/needsPairing``, and further
        /// operations of that connection with ``BluetoothError/Kind/connectionStalled``. bluetoothd closes the
        /// connection within 30 s unless the device is bonded. ``Peripheral/pair()`` can still succeed with Just Works
        /// pairing, for which bluetoothd sends no request.
        case refuse
        /// Just Works pairing is accepted; pairing with a passkey or a comparison is rejected.
        ///
        /// An operation on a protected attribute then pairs by itself if bluetoothd asks this manager's agent; see
        /// ``isDefault``.
        case justWorks
        /// The manager answers with this passkey from 0 to 999999, for example one printed on the device.
        case passkey(UInt32)
        /// The subscribers of ``BluetoothManager/pairingRequests`` answer.
        case ask
    }

    /// How requests are answered. Default: ``Mode/refuse``.
    public var mode: Mode
    /// The devices that may pair. Default: nil, all devices.
    ///
    /// Requests of other devices are rejected, and ``Peripheral/pair()`` with them fails with
    /// ``BluetoothError/Kind/refused`` before anything is sent.
    ///
    /// The list also decides which devices may use services of this computer (`AuthorizeService`). With
    /// ``Mode/justWorks`` and ``Mode/passkey(_:)`` the listed ones may, and none if it is nil. With ``Mode/ask`` the
    /// user decides; with ``Mode/refuse`` none may.
    ///
    /// A bonded device with private addresses matches with its identity address and with the address of its first
    /// connection.
    public var allowed: Set<BluetoothAddress>?
    /// Whether the manager's agent is bluetoothd's default agent. Default: false.
    ///
    /// bluetoothd asks the default agent about pairings that no program requested: those that a device starts or that a
    /// protected attribute requires. Only one agent can be the default; desktops usually have one. Without a request
    /// for it, the agent that was registered first is the default.
    public var isDefault: Bool
    /// The time that the user has to answer before a request is rejected. Default: 30 s.
    ///
    /// It runs on the clock of ``Deadlines``. bluetoothd itself waits for 60 s.
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

    func allows(_ addresses: [BluetoothAddress]) -> Bool {
        allowed.map { addresses.contains(where: $0.contains) } ?? true
    }

    /// The IO capability that the agent registers, which decides the pairing method; nil for no agent.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part H, 2.3.5.1.
    var capability: String? {
        switch mode {
        case .noAgent: nil
        case .refuse, .justWorks: "NoInputNoOutput"
        // With a display, devices that can show and confirm numbers would compare them instead.
        case .passkey: "KeyboardOnly"
        case .ask: "KeyboardDisplay"
        }
    }

    /// Whether a pairing may need an answer.
    ///
    /// bluetoothd asks an agent one request at a time, and fails a second pairing.
    var mayBeAsked: Bool {
        switch mode {
        case .noAgent, .refuse, .justWorks: false
        case .passkey, .ask: true
        }
    }

    /// The answer to a request of a device; nil if the user decides.
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
        // Accepting a number that is not compared, or a method without the given passkey, would lose the protection.
        case (.justWorks, _), (.passkey, _): return .reject
        }
    }
}
