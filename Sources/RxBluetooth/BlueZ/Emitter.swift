import Rx

/// The observer of a stream that begins in the bus context, and the work that runs at its end.
final class Emitter<Element: Sendable>: StreamObserver {
    private var observer: ((Event<Element>) -> Void)?
    private var undo: (() -> Void)?

    init(_ observer: @escaping (Event<Element>) -> Void) { self.observer = observer }

    /// Whether the stream has not ended.
    var isActive: Bool { observer != nil }

    /// Sets the work that runs when the stream ends or is disposed of, whichever comes first.
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

extension Emitter {
    /// Runs work if the stream is active.
    ///
    /// If the work throws, the stream fails with that error, which names the operation and the target.
    func attempt(
        _ operation: BluetoothError.Operation, _ target: String?, _ work: () throws(BluetoothError) -> Void
    ) {
        guard isActive else { return }
        do throws(BluetoothError) { try work() } catch { fail(error.during(operation, target)) }
    }
}
