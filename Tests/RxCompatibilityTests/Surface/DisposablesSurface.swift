import Foundation
import Rx
import RxTest
import XCTest

final class DisposablesSurface: ResourceCountingCase {
    func testMakers() {
        var count = 0
        let nothing: Disposable = Disposables.create()
        nothing.dispose()
        let one: Cancelable = Disposables.create { count += 1 }
        let same: Cancelable = Disposables.create(with: { count += 10 })
        let two: Cancelable = Disposables.create(one, same)
        let three: Cancelable = Disposables.create(one, same, nothing)
        let more: Cancelable = Disposables.create(one, same, two, three, nothing)
        let array: Cancelable = Disposables.create([one, more])
        XCTAssertFalse(array.isDisposed)
        array.dispose()
        array.dispose()
        XCTAssertEqual(count, 11)
        XCTAssertTrue([one, same, two, three, more, array].allSatisfy { $0.isDisposed })
    }

    func testTheCommonBaseClass() {
        let before = Resources.total
        var all: [DisposeBase] = [
            DisposeBag(), CompositeDisposable(), SerialDisposable(), SingleAssignmentDisposable(),
            RefCountDisposable(disposable: Disposables.create()), CompositeDisposable(disposables: []),
        ]
        XCTAssertEqual(Resources.total, before + 6)
        all = []
        XCTAssertEqual(Resources.total, before)
        let stream: RxObservable<Int> = Observable<Int>.just(1)
        XCTAssertEqual(try RxObservable.merge(stream, RxObservable.just(2)).toBlocking().toArray(), [1, 2])
        _ = all
    }

    func testCompositeDisposables() {
        var log: [Int] = []
        func disposable(_ number: Int) -> Disposable { Disposables.create { log.append(number) } }
        let composite = CompositeDisposable()
        let key: CompositeDisposable.DisposeKey? = composite.insert(disposable(1))
        let second = composite.insert(disposable(2))
        composite.insert(disposable(3))
        XCTAssertEqual(composite.count, 3)
        composite.remove(for: second!)
        XCTAssertEqual(log, [2])
        XCTAssertEqual(composite.count, 2)
        composite.dispose()
        XCTAssertEqual(log.sorted(), [1, 2, 3])
        XCTAssertEqual(composite.count, 0)
        XCTAssertTrue(composite.isDisposed)
        XCTAssertNotNil(key)
        let late: CompositeDisposable.DisposeKey? = composite.insert(disposable(4))
        XCTAssertNil(late)
        XCTAssertEqual(log.last, 4)
        composite.remove(for: key!)
        XCTAssertEqual(log.count, 4)
        let counts = [
            CompositeDisposable(disposable(5), disposable(5)),
            CompositeDisposable(disposable(5), disposable(5), disposable(5)),
            CompositeDisposable(disposable(5), disposable(5), disposable(5), disposable(5)),
            CompositeDisposable(disposable(5), disposable(5), disposable(5), disposable(5), disposable(5)),
            CompositeDisposable(disposables: [disposable(5)]),
        ]
        XCTAssertEqual(counts.map { $0.count }, [2, 3, 4, 5, 1])
        counts.forEach { $0.dispose() }
        XCTAssertEqual(log.count, 19)
    }

    func testBags() {
        var log: [Int] = []
        func disposable(_ number: Int) -> Disposable { Disposables.create { log.append(number) } }
        var bag: DisposeBag! = DisposeBag()
        bag.insert(disposable(1))
        bag.insert(disposable(2), disposable(3))
        bag.insert([disposable(4)])
        bag.insert {
            disposable(5)
            disposable(6)
        }
        disposable(7).disposed(by: bag)
        XCTAssertEqual(log, [])
        bag = nil
        XCTAssertEqual(log, [1, 2, 3, 4, 5, 6, 7])
        bag = DisposeBag(disposing: disposable(8), disposable(9))
        bag = DisposeBag(disposing: [disposable(10)])
        bag = DisposeBag {
            disposable(11)
            disposable(12)
        }
        bag = nil
        XCTAssertEqual(log.suffix(5), [8, 9, 10, 11, 12])
    }

    func testSingleAssignment() {
        var log: [Int] = []
        let single = SingleAssignmentDisposable()
        single.dispose()
        XCTAssertTrue(single.isDisposed)
        single.setDisposable(Disposables.create { log.append(1) })
        XCTAssertEqual(log, [1])
        let cancelable: Cancelable = SingleAssignmentDisposable()
        XCTAssertFalse(cancelable.isDisposed)
    }

    func testSerial() {
        var log: [Int] = []
        let serial = SerialDisposable()
        serial.disposable = Disposables.create { log.append(1) }
        let current: Disposable = serial.disposable
        XCTAssertFalse((current as! Cancelable).isDisposed)
        serial.disposable = Disposables.create { log.append(2) }
        XCTAssertEqual(log, [1])
        serial.dispose()
        serial.disposable = Disposables.create { log.append(3) }
        XCTAssertEqual(log, [1, 2, 3])
        XCTAssertTrue(serial.isDisposed)
        // After disposal, the property returns a disposable that does nothing.
        serial.disposable.dispose()
        XCTAssertEqual(log, [1, 2, 3])
    }

    func testRefCount() {
        let underlying = BooleanDisposable()
        let refCount = RefCountDisposable(disposable: underlying)
        let first: Disposable = refCount.retain()
        let second = refCount.retain()
        refCount.dispose()
        XCTAssertFalse(underlying.isDisposed)
        first.dispose()
        first.dispose()
        XCTAssertFalse(underlying.isDisposed)
        second.dispose()
        XCTAssertTrue(underlying.isDisposed && refCount.isDisposed)
        refCount.retain().dispose()
        let boolean = BooleanDisposable(isDisposed: true)
        XCTAssertTrue(boolean.isDisposed)
    }

    func testScheduled() {
        let scheduler = TestScheduler(initialClock: 0)
        let inner = BooleanDisposable()
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: inner)
        let its: ImmediateSchedulerType = scheduled.scheduler
        XCTAssertTrue(its as? TestScheduler === scheduler)
        scheduled.dispose()
        XCTAssertFalse(inner.isDisposed || scheduled.isDisposed)
        scheduler.start()
        XCTAssertTrue(inner.isDisposed && scheduled.isDisposed)
    }
}
