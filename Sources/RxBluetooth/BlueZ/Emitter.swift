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

extension Emitter {
    /// Runs work while the stream is active. An error of it fails the stream, as one of this operation.
    func attempt(
        _ operation: BluetoothError.Operation, _ target: String?, _ work: () throws(BluetoothError) -> Void
    ) {
        guard isActive else { return }
        do throws(BluetoothError) { try work() } catch { fail(error.during(operation, target)) }
    }
}

/// The streams that observe one thing.
final class EmitterList<Element: Sendable> {
    private var emitters: [Emitter<Element>] = []

    var isEmpty: Bool { emitters.isEmpty }

    /// Adds a stream until it ends. `onRemoval` runs after that.
    func add(_ emitter: Emitter<Element>, onRemoval: (() -> Void)? = nil) {
        insert(emitter)
        emitter.onEnd { [weak self] in
            self?.remove(emitter)
            onRemoval?()
        }
    }

    /// Adds a stream that the caller removes.
    func insert(_ emitter: Emitter<Element>) { emitters.append(emitter) }

    func remove(_ emitter: Emitter<Element>) { emitters.removeAll { $0 === emitter } }

    func next(_ element: Element) {
        for emitter in emitters { emitter.next(element) }
    }

    /// Removes all streams before they end, because the end of one may add another.
    func removeAll() -> [Emitter<Element>] {
        let all = emitters
        emitters = []
        return all
    }

    func fail(_ error: BluetoothError) {
        for emitter in removeAll() { emitter.fail(error) }
    }
}
