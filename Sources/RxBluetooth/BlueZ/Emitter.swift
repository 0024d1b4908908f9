import Rx

/// Where a stream that is fed in the bus's context puts its elements, and what to undo when nobody wants them.
final class Emitter<Element: Sendable>: @unchecked Sendable {
    // Guard: everything here is touched in the bus's context only.
    private var observer: AnyObserver<Element>?
    private var undo: (() -> Void)?

    init(_ observer: AnyObserver<Element>) { self.observer = observer }

    /// Whether somebody still listens.
    var isActive: Bool { observer != nil }

    /// Sets what to undo when the stream ends or is disposed of, whichever comes first.
    func onEnd(_ undo: @escaping () -> Void) {
        if isActive { self.undo = undo } else { undo() }
    }

    func next(_ element: Element) { observer?.onNext(element) }

    func fail(_ error: BluetoothError) { end { $0.onError(error) } }

    func complete() { end { $0.onCompleted() } }

    func finish(_ element: Element) {
        next(element)
        complete()
    }

    func dispose() { end { _ in } }

    private func end(_ last: (AnyObserver<Element>) -> Void) {
        guard let observer else { return }
        self.observer = nil
        let undo = undo
        self.undo = nil
        undo?()
        last(observer)
    }
}
