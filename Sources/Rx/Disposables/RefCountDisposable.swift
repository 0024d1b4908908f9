/// A disposable that disposes of its content after it and all results of `retain` were disposed of.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Guard for `@unchecked`: a `Guarded` contains all mutable state.

    private struct State {
        var content: (any Disposable)?
        var primary = false
        var count = 0
    }

    private let state: Guarded<State>

    /// Creates a disposable with the given content.
    public init(disposable: any Disposable) {
        state = Guarded(State(content: disposable))
        super.init()
    }

    /// Whether the content was disposed of.
    public var isDisposed: Bool { state.withLock { $0.content == nil } }

    /// Retains the content until the result is disposed of.
    public func retain() -> any Disposable {
        let alive = state.withLock { state in
            if state.content == nil { return false }
            state.count += 1
            return true
        }
        return alive ? Disposables.create { self.release() } : Disposables.create()
    }

    /// Releases the content. The content is disposed of as soon as no result of `retain` is left.
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
