extension Disposable {
    /// Adds the disposable to the bag, which disposes of it when the bag is deallocated.
    public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// A bag of disposables, which are disposed of when the bag is deallocated.
public final class DisposeBag: DisposeBase, @unchecked Sendable {
    // Guard for `@unchecked`: a `Guarded` contains all mutable state.
    private struct State {
        var disposed = false
        var contents: [any Disposable] = []
    }

    private let state = Guarded<State>(State())

    /// Creates an empty bag.
    public override init() {}

    /// Creates a bag with the given disposables.
    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    /// Creates a bag with the disposables that the builder lists.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    /// Creates a bag with the given disposables.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    deinit {
        let contents = state.withLock { state in
            state.disposed = true
            let all = state.contents
            state.contents = []
            return all
        }
        disposeOf(.several(contents))
    }

    /// Adds a disposable.
    public func insert(_ disposable: any Disposable) {
        let late = state.withLock { state in
            if !state.disposed { state.contents.append(disposable) }
            return state.disposed
        }
        if late { disposable.dispose() }
    }

    /// Adds disposables.
    public func insert(_ disposables: any Disposable...) { insert(disposables) }

    /// Adds disposables.
    public func insert(_ disposables: [any Disposable]) {
        for disposable in disposables { insert(disposable) }
    }

    /// Adds the disposables that the builder lists.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }

    /// A result builder for a list of disposables, one on each line.
    @resultBuilder
    public enum DisposableBuilder {
        /// Returns the disposables of all lines.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
    }
}
