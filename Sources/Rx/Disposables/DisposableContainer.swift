/// A disposable that holds others: it can give them away instead of disposing of them itself.
protocol DisposableContainer: Disposable {
    /// Becomes disposed of and gives what it held, in the order in which that is to be disposed of.
    func takeContents() -> DisposableContents
}

/// What a holder held: nothing, one or several disposables.
enum DisposableContents {
    case none
    case one(any Disposable)
    case several([any Disposable])
}

extension DisposableContainer {
    /// Disposes of the contents.
    func dispose() { disposeOf(takeContents()) }
}

/// Disposes of the contents, and of what holders among them hold, depth first and in order. It is a loop, so that a
/// chain of holders may be of any length.
func disposeOf(_ contents: DisposableContents) {
    var left: [any Disposable]
    switch contents {
    case .none: return
    case .one(let disposable): left = [disposable]
    case .several(let disposables): left = disposables.reversed()
    }
    while let disposable = left.popLast() {
        guard let holder = disposable as? any DisposableContainer else {
            disposable.dispose()
            continue
        }
        switch holder.takeContents() {
        case .none: break
        case .one(let inner): left.append(inner)
        case .several(let inner): left.append(contentsOf: inner.reversed())
        }
    }
}
