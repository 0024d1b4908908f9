/// The base class of bags and of disposables that contain others. It counts them in `Resources`.
public class DisposeBase: @unchecked Sendable {
    // Guard for `@unchecked`: it has no state; subclasses keep theirs in a `Guarded`.

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}

/// A disposable that contains others and can hand them out instead of disposing of them itself.
protocol DisposableContainer: Disposable {
    /// Becomes disposed of and returns its contents, in the order in which to dispose of them.
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

/// Disposes of the contents, and of those of containers among them, depth first and in order.
///
/// It is a loop, so that a chain of containers may have any length.
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
