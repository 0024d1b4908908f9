import Rx

/// The observer of a stream whose elements come from the bus's context, and what to undo when the stream ends.
final class Emitter<Element: Sendable> {
    private var observer: ((Event<Element>) -> Void)?
    private var undo: (() -> Void)?

    init(_ observer: @escaping (Event<Element>) -> Void) { self.observer = observer }

    /// Whether somebody still listens.
    var isActive: Bool { observer != nil }

    /// Sets what to undo when the stream ends or is disposed of, whichever comes first.
    func onEnd(_ undo: @escaping () -> Void) {
        if isActive { self.undo = undo } else { undo() }
    }

    func next(_ element: Element) { observer?(.next(element)) }

    func fail(_ error: BluetoothError) { end(.error(error)) }

    func complete() { end(.completed) }

    func finish(_ element: Element) {
        next(element)
        complete()
    }

    func dispose() { end(nil) }

    private func end(_ last: Event<Element>?) {
        guard let observer else { return }
        self.observer = nil
        let undo = undo
        self.undo = nil
        undo?()
        if let last { observer(last) }
    }
}
