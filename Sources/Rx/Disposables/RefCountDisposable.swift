/// Disposes of its content when it and all that retained it were disposed of.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Guard for `@unchecked`: `Guarded` holds all that changes.

    private struct State {
        var content: (any Disposable)?
        var primary = false
        var count = 0
    }

    private let state: Guarded<State>

    /// One with this content.
    public init(disposable: any Disposable) {
        state = Guarded(State(content: disposable))
        super.init()
    }

    /// Whether the content was disposed of.
    public var isDisposed: Bool { state.withLock { $0.content == nil } }

    /// One more reason to keep the content; dispose of the result to withdraw it.
    public func retain() -> any Disposable {
        let alive = state.withLock { state in
            if state.content == nil { return false }
            state.count += 1
            return true
        }
        return alive ? Disposables.create { self.release() } : Disposables.create()
    }

    /// Withdraws the first reason.
    public func dispose() {
        drop { state in
            if state.primary { return false }
            state.primary = true
            return state.count == 0
        }
    }

    private func release() {
        drop { state in
            state.count -= 1
            return state.primary && state.count == 0
        }
    }

    private func drop(_ isLast: (inout State) -> Bool) {
        let content = state.withLock { state -> (any Disposable)? in
            guard isLast(&state) else { return nil }
            defer { state.content = nil }
            return state.content
        }
        if let content { disposeOf(.one(content)) }
    }
}
