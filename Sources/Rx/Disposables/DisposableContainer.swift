/// The base class of bags and of disposables that contain other disposables; counted in `Resources`.
public class DisposeBase: @unchecked Sendable {
    // Guard for `@unchecked`: the class has no state, and subclasses keep their state in a `Guarded`.

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}

/// A disposable that contains other disposables and can return them instead of disposing of them.
protocol DisposableContainer: Disposable {
    /// Marks the container as disposed of and returns its contents, in the order of disposal.
    func takeContents() -> DisposableContents
}

/// The contents of a container: none, one or several disposables.
enum DisposableContents {
    case none
    case one(any Disposable)
    case several([any Disposable])
}

extension DisposableContainer {
    /// Disposes of the contents.
    func dispose() { disposeOf(takeContents()) }
}

/// Disposes of the contents, including those of nested containers, depth first and in order.
///
/// The function uses a loop instead of a recursion, so that a chain of containers may have any length.
func disposeOf(_ contents: DisposableContents) {
    var left: [any Disposable]
    switch contents {
    case .none: return
    case .one(let disposable): left = [disposable]
    case .several(let disposables): left = disposables.reversed()
    }
    while let disposable = left.popLast() {
        guard let container = disposable as? any DisposableContainer else {
            disposable.dispose()
            continue
        }
        switch container.takeContents() {
        case .none: break
        case .one(let inner): left.append(inner)
        case .several(let inner): left.append(contentsOf: inner.reversed())
        }
    }
}
