import Rx
import RxTest
import XCTest

final class DisposableSemanticsTests: XCTestCase {
    private var log: [String] = []

    private func note(_ name: String) -> Cancelable { Disposables.create { self.log.append(name) } }

    func testAnActionRunsOnce() {
        let cancelable = note("a")
        XCTAssertFalse(cancelable.isDisposed)
        cancelable.dispose()
        cancelable.dispose()
        XCTAssertTrue(cancelable.isDisposed)
        XCTAssertEqual(log, ["a"])
        Disposables.create().dispose()
    }

    func testAnActionMayDisposeOfItself() {
        var cancelable: Cancelable!
        cancelable = Disposables.create {
            self.log.append("once")
            cancelable.dispose()
        }
        cancelable.dispose()
        XCTAssertEqual(log, ["once"])
    }

    func testTwoThreeAndMany() {
        Disposables.create(note("a"), note("b")).dispose()
        Disposables.create(note("c"), note("d"), note("e")).dispose()
        Disposables.create(note("f"), note("g"), note("h"), note("i")).dispose()
        Disposables.create([note("j"), note("k")]).dispose()
        XCTAssertEqual(log.sorted(), ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"])
    }

    func testComposite() {
        let composite = CompositeDisposable()
        let a = composite.insert(note("a"))
        let b = composite.insert(note("b"))
        XCTAssertEqual(composite.count, 2)
        composite.remove(for: a!)
        XCTAssertEqual([composite.count, log.count], [1, 1])
        composite.remove(for: a!)
        composite.dispose()
        XCTAssertEqual([composite.count, log.count], [0, 2])
        XCTAssertTrue(composite.isDisposed)
        XCTAssertNil(composite.insert(note("c")))
        XCTAssertEqual(log, ["a", "b", "c"])
        composite.remove(for: b!)
    }

    func testSerial() {
        let serial = SerialDisposable()
        serial.disposable = note("a")
        serial.disposable = note("b")
        XCTAssertEqual(log, ["a"])
        serial.dispose()
        XCTAssertTrue(serial.isDisposed)
        serial.disposable = note("c")
        XCTAssertEqual(log, ["a", "b", "c"])
    }

    func testSingleAssignment() {
        let before = SingleAssignmentDisposable()
        before.dispose()
        before.setDisposable(note("late"))
        XCTAssertEqual(log, ["late"])
        let after = SingleAssignmentDisposable()
        after.setDisposable(note("early"))
        XCTAssertEqual(log.count, 1)
        after.dispose()
        after.dispose()
        XCTAssertEqual(log, ["late", "early"])
    }

    func testRefCount() {
        let inner = BooleanDisposable()
        let counted = RefCountDisposable(disposable: inner)
        let first = counted.retain()
        let second = counted.retain()
        counted.dispose()
        counted.dispose()
        first.dispose()
        first.dispose()
        XCTAssertFalse(inner.isDisposed)
        second.dispose()
        XCTAssertTrue(inner.isDisposed)
        XCTAssertTrue(counted.isDisposed)
        counted.retain().dispose()
    }

    func testABagThatIsFilledWhileItGoes() {
        var bag: DisposeBag? = DisposeBag()
        weak var gone = bag
        bag?.insert(note("a"))
        note("b").disposed(by: bag!)
        bag = nil
        XCTAssertNil(gone)
        XCTAssertEqual(log, ["a", "b"])
    }

    func testTheSubscriptionKeepsTheChainAndDisposalFreesIt() {
        final class Token {}
        weak var weakToken: Token?
        var subscription: Disposable?
        let subject = PublishSubject<Int>()
        do {
            let token = Token()
            weakToken = token
            subscription = subject.map { _ in token }.subscribe(onNext: { _ in })
        }
        XCTAssertNotNil(weakToken)
        subscription?.dispose()
        subscription = nil
        XCTAssertNil(weakToken)
    }

    func testTheEndFreesTheChain() {
        final class Token {}
        weak var weakToken: Token?
        let subject = PublishSubject<Int>()
        do {
            let token = Token()
            weakToken = token
            _ = subject.map { _ in token }.subscribe(onNext: { _ in })
        }
        XCTAssertNotNil(weakToken)
        subject.onCompleted()
        XCTAssertNil(weakToken)
    }

    func testOperatorsKeepASubscriptionNobodyHolds() {
        let subject = PublishSubject<Int>()
        _ = subject.map { $0 + 1 }.subscribe(onNext: { self.log.append("\($0)") })
        subject.onNext(1)
        XCTAssertEqual(log, ["2"])
    }
}
