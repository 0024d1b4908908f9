/// What happens to errors that nobody listens to.
public enum Hooks {
    /// Takes the error of a subscription without `onError`, with the call stack symbols (always empty here).
    public typealias DefaultErrorHandler = @Sendable (_ callStack: [String], _ error: any Error) -> Void

    private static let handler = Guarded<DefaultErrorHandler>({ _, _ in })

    /// Called for the error of a subscription without `onError`. It does nothing until set; a library must not print.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }
}
