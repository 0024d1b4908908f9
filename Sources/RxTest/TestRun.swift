import Rx

/// The stages of one `start`.
///
/// Guard: `start` runs the clock on the calling thread, which is the only one that touches this.
final class TestRun<Element>: @unchecked Sendable {
    private let observer: TestableObserver<Element>
    private let create: () -> Observable<Element>
    private var stream: Observable<Element>?
    private var subscription: (any Disposable)?

    init(_ observer: TestableObserver<Element>, _ create: @escaping () -> Observable<Element>) {
        self.observer = observer
        self.create = create
    }

    func make() { stream = create() }
    func begin() { subscription = stream?.subscribe(observer) }

    func end() {
        subscription?.dispose()
        subscription = nil
        stream = nil
    }
}
