import Synchronization

/// Tells success or the empty end, never both: the good end that follows an element says nothing new.
///
/// Guard: the flag is atomic and the closures are @Sendable.
final class MaybeOutcome<Element>: Sendable {
    private let told = Atomic<Bool>(false)
    private let onSuccess: (@Sendable (Element) -> Void)?
    private let onCompleted: (@Sendable () -> Void)?

    init(_ onSuccess: (@Sendable (Element) -> Void)?, _ onCompleted: (@Sendable () -> Void)?) {
        self.onSuccess = onSuccess
        self.onCompleted = onCompleted
    }

    func succeed(_ element: Element) {
        told.store(true, ordering: .releasing)
        onSuccess?(element)
    }

    func complete() {
        if !told.load(ordering: .acquiring) { onCompleted?() }
    }
}
