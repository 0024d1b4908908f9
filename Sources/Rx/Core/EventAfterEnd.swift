extension Hooks {
    /// Takes one sentence on a stream that broke the grammar `next* (error | completed)?`.
    public typealias GrammarViolationHandler = @Sendable (_ explanation: String) -> Void

    /// Called in a debug build when an event comes after the end of its stream, as from a `create` closure that goes on.
    ///
    /// Such an event is ignored in every build. By default the explanation is printed; a release build says nothing.
    public static var grammarViolationHandler: GrammarViolationHandler {
        get { Grammar.handler.withLock { $0 } }
        set { Grammar.handler.withLock { $0 = newValue } }
    }
}

/// Explains what no observer may be sent.
enum Grammar {
    fileprivate static let handler = Guarded<Hooks.GrammarViolationHandler>({ print("Rx: \($0)") })

    /// Somebody sent an event after the end.
    @inline(__always)
    static func eventAfterEnd(_ event: StaticString, toObserverOf source: StaticString) {
        #if DEBUG
            Hooks.grammarViolationHandler(
                "The observer of \(source) was sent \(event) after its end, and ignored it; nothing may follow an error or a completion."
            )
        #endif
    }
}
