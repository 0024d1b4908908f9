import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

final class CompletableTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    private func hear(_ completable: Completable) {
        completable.subscribe(
            onCompleted: { self.log.append("completed") }, onError: { self.log.append("error \($0)") },
            onDisposed: { self.log.append("disposed") }
        ).disposed(by: bag)
    }

    func testCreateAndSubscribe() {
        for event in [CompletableEvent.completed, .error(TestError.one)] {
            hear(
                Completable.create { completable in
                    completable(event)
                    completable(.completed)
                    return Disposables.create { self.log.append("end") }
                })
        }
        XCTAssertEqual(log, ["completed", "disposed", "end", "error one", "disposed", "end"])
        Completable.error(TestError.two).subscribe { event in
            switch event {
            case .completed: self.log.append("completed")
            case .error(let error): self.log.append("\(error)")
            }
        }.disposed(by: bag)
        XCTAssertEqual(log.last, "two")
    }

    func testDoHooks() {
        hear(
            Completable.empty().do(
                onError: { _ in self.log.append("onError") }, afterError: { _ in self.log.append("afterError") },
                onCompleted: { self.log.append("onCompleted") }, afterCompleted: { self.log.append("afterCompleted") },
                onSubscribe: { self.log.append("onSubscribe") }, onSubscribed: { self.log.append("onSubscribed") },
                onDispose: { self.log.append("onDispose") }))
        XCTAssertEqual(
            log,
            ["onSubscribe", "onCompleted", "completed", "disposed", "afterCompleted", "onSubscribed", "onDispose"])
    }

    func testAndThen() {
        let scheduler = TestScheduler(initialClock: 0)
        let first = scheduler.createColdObservable([Recorded<Event<Never>>.completed(20)])
        let second = scheduler.createColdObservable([.next(10, 1), .completed(15)])
        let completable = first.asObservable().asCompletable()
        let result = scheduler.start { completable.andThen(second.asObservable()) }
        XCTAssertEqual(result.events, [.next(230, 1), .completed(235)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(second.subscriptions, [Subscription(220, 235)])

        var values: [Int] = []
        Completable.empty().andThen(Single.just(1)).subscribe(onSuccess: { values.append($0) }).disposed(by: bag)
        Completable.empty().andThen(Maybe.just(2)).subscribe(onSuccess: { values.append($0) }).disposed(by: bag)
        Completable.empty().andThen(Observable.of(3, 4)).subscribe(onNext: { values.append($0) }).disposed(by: bag)
        XCTAssertEqual(values, [1, 2, 3, 4])
        hear(Completable.empty().andThen(.empty()))
        hear(Completable.error(TestError.one).andThen(Completable.empty()))
        XCTAssertEqual(log, ["completed", "disposed", "error one", "disposed"])
    }

    func testConcatAndZip() {
        let step: (String) -> Completable = { name in
            Completable.create { completable in
                self.log.append(name)
                completable(.completed)
                return Disposables.create()
            }
        }
        hear(step("a").concat(step("b")))
        hear(Completable.concat(step("c"), step("d")))
        hear(Completable.zip(step("e"), step("f")))
        hear(Completable.zip([step("g"), Completable.error(TestError.one), step("h")]))
        XCTAssertEqual(
            log.filter { $0 != "disposed" },
            ["a", "b", "completed", "c", "d", "completed", "e", "f", "completed", "g", "error one"])
    }

    func testOperators() {
        hear(Completable.error(TestError.one).catch { _ in .empty() })
        hear(Completable.deferred { throw TestError.two })
        hear(Observable.of(1, 2).ignoreElements().asCompletable())
        var attempts = 0
        hear(
            Completable.deferred {
                attempts += 1
                return .error(TestError.one)
            }.retry(3))
        XCTAssertEqual(attempts, 3)
        XCTAssertEqual(log.filter { $0 != "disposed" }, ["completed", "error two", "completed", "error one"])
        let stream: Observable<Int> = Observable.of(1).concat(Completable.empty().asObservable().map { _ -> Int in })
        stream.subscribe(onNext: { self.log.append("\($0)") }).disposed(by: bag)
        XCTAssertEqual(log.last, "1")
    }

    func testWhatCameLater() {
        hear(Completable.concat([Completable.empty(), .empty()]))
        hear(Completable.concat(AnySequence([Completable.empty()])))
        Completable.empty().subscribe(
            with: self, onCompleted: { $0.log.append("with") }, onError: { _, _ in },
            onDisposed: { $0.log.append("with disposed") }
        ).disposed(by: bag)
        XCTAssertEqual(log.suffix(2), ["with", "with disposed"])
    }
}
