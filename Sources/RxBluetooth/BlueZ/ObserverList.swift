/// The observer of a stream, as an ``ObserverList`` uses it.
protocol StreamObserver: AnyObject {
    /// Ends the stream with an error.
    func fail(_ error: BluetoothError)

    /// Sets the work that runs when the stream ends or is disposed of, whichever comes first.
    func onEnd(_ undo: @escaping () -> Void)
}

/// The observers of one thing, in the order in which they subscribed.
final class ObserverList<Observer: StreamObserver> {
    private(set) var all: [Observer] = []

    var isEmpty: Bool { all.isEmpty }

    /// Adds an observer until its stream ends. Runs `onRemoval` after removing the observer.
    func add(_ observer: Observer, onRemoval: (() -> Void)? = nil) {
        insert(observer)
        observer.onEnd { [weak self, weak observer] in
            if let self, let observer { remove(observer) }
            onRemoval?()
        }
    }

    /// Adds an observer. The caller removes it.
    func insert(_ observer: Observer) { all.append(observer) }

    func remove(_ observer: Observer) { all.removeAll { $0 === observer } }

    /// Removes and returns all observers.
    ///
    /// The caller ends their streams after that, because the end of a stream may add another observer.
    func removeAll() -> [Observer] {
        defer { all = [] }
        return all
    }

    func fail(_ error: BluetoothError) {
        for observer in removeAll() { observer.fail(error) }
    }
}

/// The streams that observe one thing and get the same elements.
typealias EmitterList<Element: Sendable> = ObserverList<Emitter<Element>>

extension ObserverList {
    func next<Element: Sendable>(_ element: Element) where Observer == Emitter<Element> {
        for emitter in all { emitter.next(element) }
    }
}
