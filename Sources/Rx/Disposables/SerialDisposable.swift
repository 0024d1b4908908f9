/// A disposable with replaceable content. Replaced content is disposed of.
public final class SerialDisposable: DisposeBase, Cancelable, DisposableContainer, @unchecked Sendable {
    // Guard for `@unchecked`: a `Guarded` contains all mutable state.

    private struct State {
        var disposed = false
        var content: (any Disposable)?
    }

    private let state = Guarded<State>(State())

    /// Creates a disposable without content.
    public override init() {}

    /// Whether `dispose` was called.
    public var isDisposed: Bool { state.withLock { $0.disposed } }

    /// The content. Setting it disposes of the previous content or, after `dispose`, of the new content.
    public var disposable: any Disposable {
        get { state.withLock { $0.content } ?? Disposables.create() }
        set {
            let old = state.withLock { state -> (any Disposable)? in
                if state.disposed { return newValue }
                defer { state.content = newValue }
                return state.content
            }
            old?.dispose()
        }
    }

    /// Disposes of the content and of all content that is set later.
    public func dispose() { disposeOf(takeContents()) }

    func takeContents() -> DisposableContents {
        let old = state.withLock { state -> (any Disposable)? in
            state.disposed = true
            defer { state.content = nil }
            return state.content
        }
        return old.map { .one($0) } ?? .none
    }
}
