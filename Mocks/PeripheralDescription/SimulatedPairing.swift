/// How a peripheral pairs.
///
/// The method also depends on the client's agent, as in Bluetooth Core, Vol 3, Part H, 2.3.5.1.
/// For example, with an agent without input and output the method is always Just Works.
public struct SimulatedPairing: Sendable {
    /// The input and output of the peripheral.
    public enum Method: Sendable, Hashable {
        /// Neither a display nor keys: Just Works.
        case justWorks
        /// The peripheral shows this passkey, and the agent must return it (`RequestPasskey`): 0 to 999999.
        case passkeyShown(UInt32)
        /// The peripheral's user types the passkey that the agent shows (`DisplayPasskey`): 0 to 999999.
        case passkeyEntered(UInt32)
        /// Both sides show this number, and the agent confirms it (`RequestConfirmation`): 0 to 999999.
        case numericComparison(UInt32)
    }

    /// A failure that the peripheral or the kernel causes.
    public enum Failure: Sendable, Hashable {
        /// The error `AuthenticationFailed`, as after a wrong passkey.
        case failed
        /// The peripheral refuses every pairing, as “Pairing Not Supported”: the error `AuthenticationFailed`.
        ///
        /// The agent is not asked, and the kernel of this computer closes the link.
        case notSupported
        /// The error `AuthenticationCanceled`.
        case canceled
        /// The error `AuthenticationRejected`.
        case rejected
        /// The error `AuthenticationTimeout`.
        case timeout
    }

    /// The input and output of the peripheral.
    public var method: Method
    /// How long the exchange takes. Default: 0.2 s.
    public var delay: Duration
    /// How long the user takes to type a passkey or compare numbers. Default: 2 s.
    public var userDelay: Duration
    /// Whether the peripheral requires protection against an attacker in the middle.
    ///
    /// If true, Just Works fails.
    public var isAuthenticationRequired: Bool
    /// The failure of each pairing; nil for success. Default: nil.
    public var failure: Failure?
    /// Whether the peripheral loses its bond when the link ends. Default: false.
    public var losesBond: Bool
    /// Whether pairing makes a bond. Without one, the device is paired only until the link ends. Default: true.
    public var makesBond: Bool

    /// Creates a description. The defaults are those of an ordinary, reliable peripheral.
    ///
    /// A passkey above 999999 is an issue of the running test, at `file` and `line`; without a test, it traps.
    public init(
        _ method: Method = .justWorks, delay: Duration = .milliseconds(200), userDelay: Duration = .seconds(2),
        requiresAuthentication: Bool = false, failure: Failure? = nil, losesBond: Bool = false, makesBond: Bool = true,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        if (method.passkey ?? 0) > 999_999 {
            SimulationMistake.record("A passkey has six digits at most.", file, line)
        }
        self.method = method
        self.delay = delay
        self.userDelay = userDelay
        isAuthenticationRequired = requiresAuthentication
        self.failure = failure
        self.losesBond = losesBond
        self.makesBond = makesBond
    }
}

extension SimulatedPairing.Method {
    var passkey: UInt32? {
        switch self {
        case .justWorks: nil
        case .passkeyShown(let passkey), .passkeyEntered(let passkey), .numericComparison(let passkey): passkey
        }
    }
}

/// The security of the link that a characteristic requires before it is read, written or subscribed to.
public enum SimulatedProtection: Int, Sendable, Hashable, Comparable {
    /// No security.
    case none
    /// An encrypted link, by any pairing.
    case encryption
    /// A link that was paired by passkey or numeric comparison.
    case authentication

    /// Returns whether `one` requires less security than `other`.
    public static func < (one: SimulatedProtection, other: SimulatedProtection) -> Bool {
        one.rawValue < other.rawValue
    }
}
