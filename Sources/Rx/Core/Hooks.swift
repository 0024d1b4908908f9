import Synchronization

/// What happens to errors that nobody listens to.
public enum Hooks {
    /// Takes the error of a subscription without `onError`, with the call stack recorded when it was made.
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Gives the call stack of the subscription that is being made.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private static let handler = Guarded<DefaultErrorHandler>({ _, _ in })
    private static let capture = Guarded<CustomCaptureSubscriptionCallstack>({ [] })
    private static let records = Atomic<Bool>(false)

    /// Called for the error of a subscription without `onError`. It does nothing until set; a library must not print.
    @preconcurrency
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// Records the call stack of a subscription. It gives none until set; with Foundation, give it
    /// `{ Thread.callStackSymbols }`.
    @preconcurrency
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { capture.withLock { $0 } }
        set { capture.withLock { $0 = newValue } }
    }

    /// Whether call stacks are recorded for `defaultErrorHandler` at each subscription that has no `onError`; by default
    /// not.
    public static var recordCallStackOnError: Bool {
        get { records.load(ordering: .relaxed) }
        set { records.store(newValue, ordering: .relaxed) }
    }

    /// The call stack for a subscription without `onError`.
    @inline(__always)
    static var callStack: [String] { recordCallStackOnError ? customCaptureSubscriptionCallstack() : [] }
}
