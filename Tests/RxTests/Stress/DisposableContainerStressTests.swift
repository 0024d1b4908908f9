import Dispatch
import Rx
import Synchronization
import Testing

/// Disposables that several threads use. Run these tests with `--sanitize=thread`.
@Suite struct DisposableContainerStressTests {
    final class Count: Sendable {
        let disposed = Atomic<Int>(0)
        func content() -> any Disposable {
            Disposables.create { self.disposed.add(1, ordering: .relaxed) }
        }
    }

    @Test func containersDisposeOfEachContentOnceOnManyThreads() {
        for _ in 0..<50 {
            let (composite, serial, slot) = (CompositeDisposable(), SerialDisposable(), SingleAssignmentDisposable())
            let count = Count()
            let counted = RefCountDisposable(disposable: count.content())
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for step in 0..<20 {
                    let key = composite.insert(count.content())
                    if step % 3 == 0, let key { composite.remove(for: key) }
                    serial.disposable = count.content()
                    counted.retain().dispose()
                    guard step == 10 else { continue }
                    if thread == 0 { slot.setDisposable(count.content()) }
                    if thread == 7 {
                        for holder in [composite, serial, slot, counted] as [any Disposable] { holder.dispose() }
                    }
                }
            }
            #expect(count.disposed.load(ordering: .relaxed) == 8 * 20 * 2 + 2)
        }
    }

    @Test func aBagAcceptsDisposablesFromAnyThread() {
        let count = Count()
        do {
            let bag = DisposeBag()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<100 { count.content().disposed(by: bag) }
            }
            #expect(count.disposed.load(ordering: .relaxed) == 0)
        }
        #expect(count.disposed.load(ordering: .relaxed) == 800)
    }
}
