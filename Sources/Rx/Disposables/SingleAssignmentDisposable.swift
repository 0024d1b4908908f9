/// A disposable with content that is set once, before or after the disposable is disposed of.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, DisposableContainer, @unchecked Sendable {
    // Guard for `@unchecked`: a `Guarded` contains all mutable state.

    private struct State {
        var content: (any Disposable)?
        var assigned = false
        var disposed = false
    }

    private let state = Guarded<State>(State())

    /// Creates a disposable without content.
    public override init() {}

    /// Whether `dispose` was called.
    public var isDisposed: Bool { state.withLock { $0.disposed } }

    /// Sets the content. After `dispose`, the content is disposed of at once. A second call traps.
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
