/// A disposable with a content that is set once, before or after it is disposed of.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, DisposableContainer, @unchecked Sendable {
    // Guard for `@unchecked`: `Guarded` holds all that changes.

    private struct State {
        var content: (any Disposable)?
        var assigned = false
        var disposed = false
    }

    private let state = Guarded<State>(State())

    /// Creates one without content.
    public override init() {}

    /// Whether `dispose` was called.
    public var isDisposed: Bool { state.withLock { $0.disposed } }

    /// Sets the content, which is disposed of at once if this already is. A second call traps.
    public func setDisposable(_ disposable: any Disposable) {
        let late = state.withLock { state in
            precondition(
                !state.assigned, "The content of a SingleAssignmentDisposable was set twice; use a SerialDisposable.")
            state.assigned = true
            if !state.disposed { state.content = disposable }
            return state.disposed
        }
        if late { disposable.dispose() }
    }

    /// Disposes of the content.
    public func dispose() { disposeOf(takeContents()) }

    func takeContents() -> DisposableContents {
        let content = state.withLock { state -> (any Disposable)? in
            state.disposed = true
            defer { state.content = nil }
            return state.content
        }
        return content.map { .one($0) } ?? .none
    }
}
