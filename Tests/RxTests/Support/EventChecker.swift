import Dispatch
import Rx
import Synchronization
import Testing

/// Counts the events that break the rule `next* (error | completed)?`, from several threads.
///
/// Guard for `@unchecked`: `plain` has no lock on purpose, so that the thread sanitizer reports simultaneous events.
final class EventChecker: @unchecked Sendable {
    private var plain = 0
    private let inside = Atomic<Int>(0)
    private let clashes = Atomic<Int>(0)
    private let elements = Atomic<Int>(0)
    private let ends = Atomic<Int>(0)
    private let afterEnd = Atomic<Int>(0)
    private let late = Atomic<Int>(0)
    private let disposals = Atomic<Int>(0)

    var count: Int { elements.load(ordering: .sequentiallyConsistent) }
    var hasEnded: Bool { ends.load(ordering: .sequentiallyConsistent) > 0 }
    var timesDisposed: Int { disposals.load(ordering: .sequentiallyConsistent) }

    /// Counts an event. A negative element was sent after disposal, so it must not be received.
    func receive(_ event: Event<Int>) {
        if inside.add(1, ordering: .relaxed).oldValue != 0 { clashes.add(1, ordering: .relaxed) }
        if hasEnded { afterEnd.add(1, ordering: .relaxed) }
        plain += 1
        if let element = event.element {
            elements.add(1, ordering: .relaxed)
            if element < 0 { late.add(1, ordering: .relaxed) }
        } else {
            ends.add(1, ordering: .relaxed)
        }
        inside.subtract(1, ordering: .relaxed)
    }

    func listen(to stream: Observable<Int>) -> any Disposable {
        stream.subscribe(
            onNext: { self.receive(.next($0)) }, onError: { self.receive(.error($0)) },
            onCompleted: { self.receive(.completed) },
            onDisposed: { self.disposals.add(1, ordering: .relaxed) })
    }

    func expectWellFormed(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let breaches = [
            ("two at a time", clashes.load(ordering: .relaxed)),
            ("more than one end", ends.load(ordering: .relaxed) - 1),
            ("after the end", afterEnd.load(ordering: .relaxed)),
            ("sent after disposal", late.load(ordering: .relaxed)), ("disposed of again", timesDisposed - 1),
        ]
        for (what, times) in breaches where times > 0 {
            Issue.record("\(name): \(what), \(times) times.", sourceLocation: sourceLocation)
        }
    }
}

/// A flag that is set once and read by all threads.
final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)
    var isRaised: Bool { raised.load(ordering: .sequentiallyConsistent) }
    func raise() { raised.store(true, ordering: .sequentiallyConsistent) }
}
