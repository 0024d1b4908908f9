/// A disposable that is given its content once, before or after it is disposed of.
public final class SingleAssignmentDisposable: Cancelable {
    private enum State {
        case empty
        case holding(any Disposable)
        case disposed
    }

    private let state = Guarded<State>(.empty)

    /// An empty one.
    public init() { Resources.entered() }
    deinit { Resources.left() }

    /// Whether `dispose` was called.
    public var isDisposed: Bool {
        state.withLock { if case .disposed = $0 { true } else { false } }
    }

    /// Gives the content, which is disposed of at once when this was. A second call traps.
    public func setDisposable(_ disposable: any Disposable) {
        let late = state.withLock { state in
            switch state {
            case .empty:
                state = .holding(disposable)
                return false
            case .holding: preconditionFailure("A SingleAssignmentDisposable was given a second content.")
            case .disposed: return true
            }
        }
        if late { disposable.dispose() }
    }

    /// Disposes of the content.
    public func dispose() {
        let content = state.withLock { state -> (any Disposable)? in
            defer { state = .disposed }
            if case .holding(let content) = state { return content }
            return nil
        }
        content?.dispose()
    }
}
