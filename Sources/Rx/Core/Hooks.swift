import Synchronization

/// Process-wide settings: errors without a handler, and events after the end of a stream.
public enum Hooks {
    /// Receives the error of a subscription without `onError`, and the call stack of the subscription.
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Returns the call stack of the subscription that is being made.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]
    /// Receives one sentence about a stream that broke the rule `next* (error | completed)?`.
    public typealias GrammarViolationHandler = @Sendable (_ explanation: String) -> Void

    private static let handler = Guarded<DefaultErrorHandler>({ _, _ in })
    private static let capture = Guarded<CustomCaptureSubscriptionCallstack>({ [] })
    private static let records = Atomic<Bool>(false)
    private static let violationHandler = Guarded<GrammarViolationHandler>({ print("Rx: \($0)") })

    /// The handler for the error of a subscription without `onError`. The default handler does nothing.
    @preconcurrency
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// The closure that captures the call stack of a subscription. The default returns an empty array.
    ///
    /// With Foundation, set this property to `{ Thread.callStackSymbols }`.
    @preconcurrency
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { capture.withLock { $0 } }
        set { capture.withLock { $0 = newValue } }
    }

    /// Whether each subscription without `onError` captures its call stack. Default: false.
    public static var recordCallStackOnError: Bool {
        get { records.load(ordering: .relaxed) }
        set { records.store(newValue, ordering: .relaxed) }
    }

    /// The handler for an event that a stream sends after its end, called in a debug build.
    ///
    /// Every build ignores such an event, for example an event that a `create` closure sends. The default handler
    /// prints the explanation. A release build does not call the handler.
    public static var grammarViolationHandler: GrammarViolationHandler {
        get { violationHandler.withLock { $0 } }
        set { violationHandler.withLock { $0 = newValue } }
    }

    /// The call stack for a subscription without `onError`. Empty unless recording is on.
    @inline(__always)
    static var callStack: [String] { recordCallStackOnError ? customCaptureSubscriptionCallstack() : [] }

    /// Reports an event that was sent after the end of a stream and ignored.
    @inline(__always)
    static func reportEventAfterEnd(_ event: StaticString, toObserverOf source: StaticString) {
        #if DEBUG
            grammarViolationHandler(
                "The observer of \(source) ignored \(event) after its end; send nothing after an error or a completion."
            )
        #endif
    }
}
