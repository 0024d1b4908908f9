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

/// The streams that tell something of a link for as long as it lasts, and fail with it.
final class LinkStreams {
    private var ends: [Int: (BluetoothError) -> Void] = [:]
    private var count = 0

    /// Takes a stream in. `undo` runs when it ends, with the link's cause where that ended it.
    func add<Element>(
        _ emitter: Emitter<Element>, during operation: BluetoothError.Operation, _ target: String,
        undo: @escaping (BluetoothError?) -> Void
    ) {
        count += 1
        let number = count
        var cause: BluetoothError?
        ends[number] = {
            cause = $0
            emitter.fail($0.during(operation, target))
        }
        emitter.onEnd { [weak self] in
            self?.ends[number] = nil
            undo(cause)
        }
    }

    func fail(_ cause: BluetoothError) {
        let all = ends.sorted { $0.key < $1.key }
        ends = [:]
        for (_, end) in all { end(cause) }
    }
}
