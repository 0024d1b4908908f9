/// How a manager answers when bluetoothd asks it about a pairing.
///
/// A manager has one agent with bluetoothd, whatever it pairs: it is registered with the first connection or pairing, or when
/// ``BluetoothManager/pairingRequests`` is subscribed to, and again after bluetoothd was restarted. With ``isDefault`` it is
/// registered as soon as bluetoothd runs. Source: BlueZ, `agent-api.txt`.
public struct PairingPolicy: Hashable, Sendable {
    /// Who answers.
    public enum Mode: Hashable, Sendable {
        /// Nobody: no agent is registered. bluetoothd then asks that of another program, such as a desktop's; without any, it
        /// pairs as for a program that has neither display nor keys (Q90), and an operation that needs pairing has no
        /// answer for 30 s, at the end of which the link is lost.
        case noAgent
        /// The manager agrees to nothing. An operation on an attribute that is protected fails at once with
        /// ``BluetoothError/Kind/needsPairing``; other operations of that connection then fail with
        /// ``BluetoothError/Kind/connectionStalled``, and bluetoothd ends the connection within 30 s unless the device is bonded.
        /// ``Peripheral/pair()`` succeeds where it just works, for that asks nobody.
        case refuse
        /// The manager agrees to a pairing that needs neither passkey nor comparison, and to no other. An operation on an
        /// attribute that is protected then pairs by itself, as far as bluetoothd asks this manager; see ``isDefault``.
        case justWorks
        /// The manager gives this passkey, from 0 to 999999, for example the one that is printed on the device.
        case passkey(UInt32)
        /// The subscribers of ``BluetoothManager/pairingRequests`` answer.
        case ask
    }

    /// Who answers. Default: ``Mode/refuse``.
    public var mode: Mode
    /// The devices that may pair; requests of others are rejected, and ``Peripheral/pair()`` of others fails with
    /// ``BluetoothError/Kind/notAuthorized`` before anything is sent. Nil, the default: all. Only a device of this list may use
    /// services of this machine (`AuthorizeService`), unless ``Mode/ask`` lets a person decide. A bonded device that changes
    /// its address may stand here with its identity address, or with the one of its first connection (Q62).
    public var allowed: Set<BluetoothAddress>?
    /// Whether to be the agent that bluetoothd asks where nobody in particular is concerned: for pairings that a device begins,
    /// and those that a protected attribute demands. Desktops have such an agent, and only one can be it (Q90). Default: not.
    /// The agent that was registered first is it as long as no other asks to be.
    public var isDefault: Bool
    /// How long a person has to answer, on the bus's clock, before the request is rejected. bluetoothd itself waits 60 s.
    /// Default: 30 s.
    public var timeout: Duration

    /// Makes a policy. A passkey above 999999 is a programmer's error.
    public init(
        _ mode: Mode = .refuse, allowed: Set<BluetoothAddress>? = nil, isDefault: Bool = false,
        timeout: Duration = .seconds(30)
    ) {
        if case .passkey(let passkey) = mode {
            precondition(passkey <= PairingRequest.highestPasskey, "A passkey has six digits at most.")
        }
        self.mode = mode
        self.allowed = allowed
        self.isDefault = isDefault
        self.timeout = timeout
    }

    func allows(_ addresses: [BluetoothAddress]) -> Bool {
        allowed.map { addresses.contains(where: $0.contains) } ?? true
    }

    /// What the agent tells bluetoothd that its user can do; nil where no agent is registered. It decides which method of
    /// pairing comes about. Source: Core Specification 5.4, Vol 3, Part H, 2.3.5.1.
    var capability: String? {
        switch mode {
        case .noAgent: nil
        case .refuse, .justWorks: "NoInputNoOutput"
        // With a display it would come to a comparison with devices that can do both.
        case .passkey: "KeyboardOnly"
        case .ask: "KeyboardDisplay"
        }
    }

    /// Whether a pairing may need an answer. bluetoothd asks an agent one thing at a time, and fails the second pairing.
    var mayBeAsked: Bool {
        switch mode {
        case .noAgent, .refuse, .justWorks: false
        case .passkey, .ask: true
        }
    }

    /// The answer to a question about a device; nil where a person decides.
    func answer(to question: PairingRequest.Question, of addresses: [BluetoothAddress]) -> PairingRequest.Answer? {
        guard allows(addresses) else { return .reject }
        switch (mode, question) {
        case (.ask, _): return nil
        case (.noAgent, _), (.refuse, _): return .reject
        case (_, .displayPasskey), (_, .displayPinCode): return .accept
        // What a device may do on this machine is not a matter of pairing, so only who is named may do it.
        case (_, .service): return allowed == nil ? .reject : .accept
        case (.justWorks, .authorization): return .accept
        case (.passkey(let passkey), .passkey): return .passkey(passkey)
        case (.passkey(let passkey), .pinCode):
            let digits = String(passkey)
            return .pinCode(String(repeating: "0", count: 6 - digits.count) + digits)
        // A number that nobody compares protects nobody; nor does a pairing without the passkey that was to be given.
        case (.justWorks, _), (.passkey, _): return .reject
        }
    }
}
