import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

final class MaybeTests: XCTestCase {
    private var log: [String] = []
    private let bag = DisposeBag()

    private func hear<Element>(_ maybe: Maybe<Element>) {
        maybe.subscribe(
            onSuccess: { self.log.append("\($0)") }, onError: { self.log.append("error \($0)") },
            onCompleted: { self.log.append("completed") }, onDisposed: { self.log.append("disposed") }
        ).disposed(by: bag)
    }

    func testCreateAndSubscribe() {
        for event in [MaybeEvent<Int>.success(1), .completed, .error(TestError.one)] {
            let maybe = Maybe<Int>.create { observer in
                observer(event)
                observer(.success(9))
                return Disposables.create { self.log.append("end") }
            }
            hear(maybe)
        }
        XCTAssertEqual(
            log, ["1", "disposed", "end", "completed", "disposed", "end", "error one", "disposed", "end"])
        log = []
        Maybe<Int>.empty().subscribe { event in
            switch event {
            case .success(let value): self.log.append("\(value)")
            case .error(let error): self.log.append("\(error)")
            case .completed: self.log.append("completed")
            }
        }.disposed(by: bag)
        XCTAssertEqual(log, ["completed"])
    }

    func testOperators() {
        hear(Maybe.just(1).map { $0 + 1 })
        hear(Maybe.just(1).filter { $0 > 1 })
        hear(Maybe.just(1).flatMap { .just($0 * 3) })
        hear(Maybe<Int>.empty().flatMap { .just($0 * 3) })
        hear(Maybe.just(1).map { _ -> Int in throw TestError.two })
        hear(Maybe<Int>.error(TestError.one).catch { _ in .just(6) })
        hear(Maybe<Int>.deferred { .just(7) })
        XCTAssertEqual(
            log.filter { $0 != "disposed" }, ["2", "completed", "3", "completed", "error two", "6", "7"])
    }

    func testConversions() {
        func single<Element>(_ single: Single<Element>) {
            single.subscribe(onSuccess: { self.log.append("\($0)") }, onFailure: { self.log.append("\($0)") })
                .disposed(by: bag)
        }
        single(Maybe.just(1).ifEmpty(default: 2))
        single(Maybe<Int>.empty().ifEmpty(default: 2))
        single(Maybe<Int>.empty().ifEmpty(switchTo: Single.just(3)))
        single(Maybe.just(4).asSingle())
        single(Maybe<Int>.empty().asSingle())
        hear(Observable<Int>.empty().asMaybe())
        hear(Observable.of(1, 2).asMaybe())
        Maybe.just(1).asCompletable().subscribe(onCompleted: { self.log.append("done") }).disposed(by: bag)
        XCTAssertEqual(
            log.filter { $0 != "disposed" },
            ["1", "2", "3", "4", "\(RxError.noElements)", "completed", "error \(RxError.moreThanOneElement)", "done"])
    }

    func testDoHooks() {
        let hooks: (Maybe<Int>) -> Maybe<Int> = { maybe in
            maybe.do(
                onNext: { self.log.append("onNext \($0)") }, afterNext: { self.log.append("afterNext \($0)") },
                onError: { self.log.append("onError \($0)") }, afterError: { self.log.append("afterError \($0)") },
                onCompleted: { self.log.append("onCompleted") },
                afterCompleted: { self.log.append("afterCompleted") },
                onSubscribe: { self.log.append("onSubscribe") },
                onSubscribed: { self.log.append("onSubscribed") }, onDispose: { self.log.append("onDispose") })
        }
        hear(hooks(.just(1)))
        XCTAssertEqual(
            log,
            [
                "onSubscribe", "onNext 1", "1", "disposed", "afterNext 1", "onCompleted", "afterCompleted",
                "onSubscribed", "onDispose",
            ])
        log = []
        hear(hooks(.empty()))
        XCTAssertEqual(
            log,
            [
                "onSubscribe", "onCompleted", "completed", "disposed", "afterCompleted", "onSubscribed",
                "onDispose",
            ])
    }

    func testWhatCameLater() {
        hear(Maybe.just("1").compactMap(Int.init))
        hear(Maybe<Int>.error(TestError.one).catchAndReturn(5))
        hear(Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 })
        hear(Maybe.zip(Maybe.just(1), Maybe<Int>.empty()) { $0 + $1 })
        hear(Maybe.zip(Maybe.just(1), .just(2), .just(3)).map { $0.0 + $0.1 + $0.2 })
        XCTAssertEqual(log.filter { $0 != "disposed" }, ["1", "5", "3", "completed", "6"])
        Maybe.just(1).subscribe(
            with: self, onSuccess: { $0.log.append("with \($1)") }, onError: { _, _ in }, onCompleted: { _ in },
            onDisposed: { $0.log.append("with disposed") }
        ).disposed(by: bag)
        XCTAssertEqual(log.suffix(2), ["with 1", "with disposed"])
    }
}
