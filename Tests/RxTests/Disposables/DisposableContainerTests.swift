import Dispatch
import Rx
import RxTest
import Testing

@Suite struct DisposableContainerTests {
    let log = Log<Int>()

    func note(_ number: Int) -> any Cancelable { Disposables.create { [log] in log.add(number) } }

    @Test(arguments: 0..<3)
    func aLongChainDoesNotRecurse(_ kind: Int) {
        var chain: any Disposable = note(1)
        for _ in 0..<200_000 {
            switch kind {
            case 0: chain = CompositeDisposable(chain, Disposables.create())
            case 1:
                let link = SerialDisposable()
                link.disposable = chain
                chain = link
            default:
                let link = SingleAssignmentDisposable()
                link.setDisposable(chain)
                chain = link
            }
        }
        chain.dispose()
        #expect(log.all == [1])
    }

    @Test func nestedContainersDisposeDepthFirstInOrder() {
        let inner = SerialDisposable()
        inner.disposable = CompositeDisposable(note(2), note(3))
        Disposables.create(note(1), inner, note(4), note(5), note(6)).dispose()
        #expect(log.all == [1, 2, 3, 4, 5, 6])
        #expect(inner.isDisposed)
    }

    @Test func disposingFromInsideDisposeIsHarmless() {
        let composite = CompositeDisposable()
        _ = composite.insert(
            Disposables.create { [log] in
                log.add(1)
                composite.dispose()
                _ = composite.insert(note(2))
            })
        _ = composite.insert(note(3))
        composite.dispose()
        #expect(log.all == [1, 2, 3])
    }

    @Test func aScheduledDisposableDisposesOnItsScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: note(1))
        scheduled.dispose()
        scheduled.dispose()
        #expect(!scheduled.isDisposed)
        scheduler.start()
        #expect(scheduled.isDisposed)
        #expect(log.all == [1])
    }

    @Test func settingASecondContentTraps() async {
        await #expect(processExitsWith: .failure) {
            let slot = SingleAssignmentDisposable()
            slot.setDisposable(Disposables.create())
            slot.setDisposable(Disposables.create())
        }
        await #expect(processExitsWith: .failure) {
            let slot = SingleAssignmentDisposable()
            slot.dispose()
            slot.setDisposable(Disposables.create())
            slot.setDisposable(Disposables.create())
        }
    }

    @Test func bagsAcceptDisposablesInEveryForm() {
        do {
            _ = DisposeBag(disposing: note(1), note(2))
            _ = DisposeBag(disposing: [note(3)])
            _ = DisposeBag {
                note(4)
                note(5)
            }
        }
        #expect(log.all == [1, 2, 3, 4, 5])
    }

    @Test func aBooleanDisposableCanStartDisposed() {
        #expect(BooleanDisposable(isDisposed: true).isDisposed)
    }
}
