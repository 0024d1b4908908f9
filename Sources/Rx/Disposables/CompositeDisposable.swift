/// A collection of disposables that are disposed of together.
public final class CompositeDisposable: DisposeBase, Cancelable, DisposableContainer, @unchecked Sendable {
    // Guard for `@unchecked`: a `Guarded` contains all mutable state.

    /// The key of a disposable in the collection, used to remove the disposable.
    public struct DisposeKey: Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var disposed = false
        var next = 0
        var contents: [Int: any Disposable] = [:]
    }

    private let state: Guarded<State>

    /// Creates an empty collection.
    public override init() { state = Guarded(State()) }

    /// Creates a collection of two disposables.
    public convenience init(_ disposable1: any Disposable, _ disposable2: any Disposable) {
        self.init(disposables: [disposable1, disposable2])
    }

    /// Creates a collection of three disposables.
    public convenience init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) {
        self.init(disposables: [disposable1, disposable2, disposable3])
    }

    /// Creates a collection of the given disposables.
    public convenience init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposable4: any Disposable, _ disposables: any Disposable...
    ) {
        self.init(disposables: [disposable1, disposable2, disposable3, disposable4] + disposables)
    }

    /// Creates a collection of the given disposables.
    public init(disposables: [any Disposable]) {
        var filled = State()
        for disposable in disposables {
            filled.contents[filled.next] = disposable
            filled.next += 1
        }
        state = Guarded(filled)
        super.init()
    }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { state.withLock { $0.disposed } }

    /// The number of disposables.
    public var count: Int { state.withLock { $0.contents.count } }

    /// Adds a disposable and returns its key.
    ///
    /// After `dispose`, the added disposable is disposed of at once, and the result is nil.
    @discardableResult
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        let key = state.withLock { state -> DisposeKey? in
            if state.disposed { return nil }
            defer { state.next += 1 }
            state.contents[state.next] = disposable
            return DisposeKey(number: state.next)
        }
        if key == nil { disposable.dispose() }
        return key
    }

    /// Removes the disposable with the given key and disposes of it.
    public func remove(for disposeKey: DisposeKey) {
        let content = state.withLock { $0.contents.removeValue(forKey: disposeKey.number) }
        content?.dispose()
    }

    /// Disposes of all disposables, in the order in which they were added.
    public func dispose() { disposeOf(takeContents()) }

    func takeContents() -> DisposableContents {
        let contents = state.withLock { state in
            state.disposed = true
            let all = state.contents
            state.contents = [:]
            return all
        }
        return .several(contents.sorted { $0.key < $1.key }.map(\.value))
    }
}
