/// A disposable that holds others: it can give them away instead of disposing of them itself.
protocol DisposableHolder: Disposable {
    /// Becomes disposed of and gives what it held, in the order in which that is to be disposed of.
    func surrender() -> Contents
}

/// What a holder held: nothing, one or several disposables.
enum Contents {
    case none
    case one(any Disposable)
    case several([any Disposable])
}

extension DisposableHolder {
    /// Disposes of the contents.
    func dispose() { disposeOf(surrender()) }
}

/// Disposes of the contents, and of what holders among them hold, depth first and in order. It is a loop, so that a
/// chain of holders may be of any length.
func disposeOf(_ contents: Contents) {
    var left: [any Disposable]
    switch contents {
    case .none: return
    case .one(let disposable): left = [disposable]
    case .several(let disposables): left = disposables.reversed()
    }
    while let disposable = left.popLast() {
        guard let holder = disposable as? any DisposableHolder else {
            disposable.dispose()
            continue
        }
        switch holder.surrender() {
        case .none: break
        case .one(let inner): left.append(inner)
        case .several(let inner): left.append(contentsOf: inner.reversed())
        }
    }
}
