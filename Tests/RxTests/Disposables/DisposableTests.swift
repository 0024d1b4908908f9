import Rx
import Testing

@Suite struct DisposableTests {
    let log = Log<Int>()

    func note(_ number: Int) -> any Cancelable { Disposables.create { [log] in log.add(number) } }

    @Test func aClosureRunsOnce() {
        let disposable = note(1)
        #expect(!disposable.isDisposed)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed)
        #expect(log.all == [1])
    }

    @Test func aCompositeDisposesInOrderAndOfLateAdditions() {
        let composite = CompositeDisposable(disposables: [note(1), note(2)])
        let key = composite.insert(note(3))
        #expect(composite.count == 3)
        if let key { composite.remove(for: key) }
        composite.dispose()
        #expect(composite.insert(note(4)) == nil)
        #expect(log.all == [3, 1, 2, 4])
    }

    @Test func aSerialDisposesOfTheReplacedContent() {
        let serial = SerialDisposable()
        serial.disposable = note(1)
        serial.disposable = note(2)
        #expect(log.all == [1])
        serial.dispose()
        serial.disposable = note(3)
        #expect(log.all == [1, 2, 3])
    }

    @Test func aSingleAssignmentAcceptsItsContentAfterDisposal() {
        let slot = SingleAssignmentDisposable()
        slot.dispose()
        slot.setDisposable(note(1))
        #expect(log.all == [1])
    }

    @Test func aBagDisposesWhenItIsReleased() {
        var bag: DisposeBag? = DisposeBag()
        if let bag {
            note(1).disposed(by: bag)
            bag.insert(note(2), note(3))
            bag.insert {
                note(4)
                note(5)
            }
        }
        #expect(log.all.isEmpty)
        bag = nil
        #expect(log.all == [1, 2, 3, 4, 5])
    }

    @Test func aRefCountDisposesAfterAllReferences() {
        let counted = RefCountDisposable(disposable: note(1))
        let first = counted.retain()
        counted.dispose()
        #expect(log.all.isEmpty)
        first.dispose()
        #expect(log.all == [1])
        #expect(counted.isDisposed)
    }

    @Test func aBooleanDisposableRecordsDisposal() {
        let flag = BooleanDisposable()
        #expect(!flag.isDisposed)
        flag.dispose()
        #expect(flag.isDisposed)
    }
}

@Suite struct SubscribeTests {
    @Test func subscribeWithAnObjectHoldsItWeakly() {
        final class Owner: Sendable {}
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        var owner: Owner? = Owner()
        if let owner { _ = subject.subscribe(with: owner, onNext: { _, value in log.add(value) }) }
        subject.onNext(1)
        owner = nil
        subject.onNext(2)
        #expect(log.all == [1])
    }

    @Test func allEventsAreSentToOneClosure() {
        let log = Log<String>()
        _ = Observable.of(1, 2).subscribe { log.add("\($0)") }
        #expect(log.all == ["next(1)", "next(2)", "completed"])
    }
}
