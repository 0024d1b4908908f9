/// How a peripheral pairs. Which of its wishes comes about depends on what the client's agent can do as well, as in
/// Bluetooth Core, Vol 3, Part H, 2.3.5.1: an agent without input and output always gets a pairing that just works.
public struct SimulatedPairing: Sendable {
    /// What the peripheral has for its user.
    public enum Method: Sendable, Hashable {
        /// Neither display nor keys: pairing just works.
        case justWorks
        /// It shows this passkey, which the agent must give (`RequestPasskey`): 0 to 999999.
        case passkeyShown(UInt32)
        /// Its user types the passkey that the agent shows (`DisplayPasskey`): 0 to 999999.
        case passkeyEntered(UInt32)
        /// Both show this number, which the agent compares (`RequestConfirmation`): 0 to 999999.
        case numericComparison(UInt32)
    }

    /// What pairing fails with, where the peripheral or the kernel wills it so.
    public enum Failure: Sendable, Hashable {
        /// `AuthenticationFailed`, which is also what a wrong passkey ends with.
        case failed
        /// `AuthenticationCanceled`
        case canceled
        /// `AuthenticationRejected`
        case rejected
        /// `AuthenticationTimeout`
        case timeout
    }

    /// What the peripheral has for its user.
    public var method: Method
    /// How long its part of the work takes. Default: 0.2 s.
    public var delay: Duration
    /// How long its user takes to type a passkey or to compare numbers. Default: 2 s.
    public var userDelay: Duration
    /// Whether it insists on a pairing against which nobody can stand in the middle; one that just works fails then.
    public var isAuthenticationRequired: Bool
    /// What each pairing ends with; nil for success. Default: nil.
    public var failure: Failure?
    /// Whether it forgets its bond as soon as the link ends (Q87). Default: false.
    public var losesBond: Bool

    /// Describes how a peripheral pairs; what is left out is an ordinary, reliable one. A passkey above 999999 is a
    /// programmer's error.
    public init(
        _ method: Method = .justWorks, delay: Duration = .milliseconds(200), userDelay: Duration = .seconds(2),
        requiresAuthentication: Bool = false, failure: Failure? = nil, losesBond: Bool = false
    ) {
        precondition((method.passkey ?? 0) <= 999_999, "A passkey has six digits at most.")
        self.method = method
        self.delay = delay
        self.userDelay = userDelay
        isAuthenticationRequired = requiresAuthentication
        self.failure = failure
        self.losesBond = losesBond
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

/// What a characteristic demands of the link before it is read, written or subscribed to.
public enum SimulatedProtection: Int, Sendable, Hashable, Comparable {
    /// Nothing.
    case none
    /// An encrypted link, hence any pairing.
    case encryption
    /// A link that was paired by a passkey or a comparison.
    case authentication

    /// Whether one demands less than the other.
    public static func < (one: SimulatedProtection, other: SimulatedProtection) -> Bool {
        one.rawValue < other.rawValue
    }
}
