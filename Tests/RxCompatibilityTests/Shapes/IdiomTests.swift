import Foundation
import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

private protocol OptionalType {
    associatedtype Wrapped
    var optional: Wrapped? { get }
}

extension Optional: OptionalType {
    fileprivate var optional: Wrapped? { self }
}

extension ObservableType where Element == Bool {
    fileprivate func not() -> Observable<Bool> { map(!) }
}

extension Observable where Element: OptionalType {
    fileprivate func unwrapped() -> Observable<Element.Wrapped> { compactMap { $0.optional } }
}

extension ObservableConvertibleType {
    fileprivate func asVoid() -> Observable<Void> { asObservable().map { _ in } }
}

extension PrimitiveSequence where Trait == SingleTrait {
    fileprivate func doubled() -> Single<(Element, Element)> { map { ($0, $0) } }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Int {
    fileprivate func orZero() -> Single<Int> { primitiveSequence.catchAndReturn(0) }
}

extension ObservableType {
    fileprivate func paired() -> Observable<(previous: Element?, current: Element)> {
        scan((nil, nil)) { (state: (Element?, Element?), element) in (state.1, element) }
            .map { (previous: $0.0, current: $0.1!) }
    }
}

/// A view model as books describe it: its inputs are observers, its outputs are streams.
private final class Model {
    let name: AnyObserver<String>
    let refresh: AnyObserver<Void>
    let greeting: Observable<String>
    private(set) var refreshes = 0
    private let bag = DisposeBag()

    init() {
        let name = PublishSubject<String>()
        let refresh = PublishSubject<Void>()
        self.name = name.asObserver()
        self.refresh = refresh.asObserver()
        greeting = name.asObservable().filter { !$0.isEmpty }.map { "Hello, \($0)" }.share(replay: 1, scope: .forever)
        refresh.subscribe(onNext: { [weak self] in self?.refreshes += 1 }).disposed(by: bag)
        greeting.subscribe().disposed(by: bag)
    }
}

private final class Controller: NSObject {
    let bag = DisposeBag()
    var text = ""
    var events: [Event<Int>] = []
    private let model = Model()

    func load(_ id: Int) -> Single<String> { .just("item \(id)") }
    func show(_ text: String) { self.text = text }

    func start(_ ids: Observable<Int>) {
        ids
            .flatMapLatest { [weak self] id -> Observable<String> in
                guard let self = self else { return .empty() }
                return self.load(id).asObservable().catch { _ in .just("none") }
            }
            .do(onNext: { [unowned self] in self.text = $0 })
            .subscribe(onNext: { [weak self] text in self?.show(text + "!") })
            .disposed(by: bag)
    }
}

/// Common lines of code from books, forums and applications.
final class IdiomTests: XCTestCase {
    private let bag = DisposeBag()

    private func all<Stream: ObservableConvertibleType>(_ stream: Stream) throws -> [Stream.Element] {
        try stream.toBlocking(timeout: 10).toArray()
    }

    func testModels() throws {
        let model = Model()
        model.name.onNext("")
        model.name.onNext("Ann")
        model.refresh.onNext(())
        XCTAssertEqual(try model.greeting.toBlocking(timeout: 5).first(), "Hello, Ann")
        XCTAssertEqual(model.refreshes, 1)
    }

    func testWeakSelf() {
        let ids = PublishSubject<Int>()
        var controller: Controller? = Controller()
        weak var gone = controller
        controller?.start(ids)
        ids.onNext(3)
        XCTAssertEqual(controller?.text, "item 3!")
        controller = nil
        XCTAssertNil(gone)
        XCTAssertFalse(ids.hasObservers)
    }

    func testExtensionsOfTheUser() throws {
        XCTAssertEqual(try all(Observable.of(true, false).not()), [false, true])
        XCTAssertEqual(try all(Observable<Int?>.of(1, nil).unwrapped()), [1])
        XCTAssertEqual(try all(Single.just(1).asVoid()).count, 1)
        XCTAssertEqual(try all(Single.just(1).doubled()).first?.1, 1)
        XCTAssertEqual(try all(Single<Int>.error(TestError.one).orZero()), [0])
        XCTAssertEqual(try all(Observable.of(1, 2).paired().map { "\($0.previous ?? 0)\($0.current)" }), ["01", "12"])
    }

    func testAnyObservers() {
        var log: [String] = []
        let observer = AnyObserver<Int> { event in
            switch event {
            case .next(let value): log.append("\(value)")
            case .error(let error): log.append("\(error)")
            case .completed: log.append("completed")
            }
        }
        _ = Observable.of(1, 2).subscribe(observer)
        AnyObserver<Int>(eventHandler: { log.append($0.debugDescription) }).onNext(3)
        let subject = PublishSubject<Int>()
        let erased: AnyObserver<Int> = subject.asObserver()
        let same: PublishSubject<Int> = subject.asObserver()
        subject.subscribe(onNext: { log.append("s\($0)") }).disposed(by: bag)
        erased.onNext(4)
        same.onNext(5)
        XCTAssertEqual(log, ["1", "2", "completed", "next(3)", "s4", "s5"])
    }

    func testNamesWithTheModule() throws {
        let stream: Rx.Observable<Int> = Rx.Observable.just(1)
        XCTAssertEqual(try all(stream), [1])
        let event: Rx.Event<Int> = .next(1)
        XCTAssertEqual(event.element, 1)
        let element: Observable<Int>.Element = 2
        XCTAssertEqual(element, 2)
    }

    func testFunctionsAsClosures() throws {
        let controller = Controller()
        Observable.just("x").subscribe(onNext: controller.show).disposed(by: bag)
        XCTAssertEqual(controller.text, "x")
        XCTAssertEqual(try all(Observable.of(1, 2).flatMap(controller.load)), ["item 1", "item 2"])
        let observers = PublishSubject<Int>()
        observers.subscribe { controller.events.append($0) }.disposed(by: bag)
        observers.onNext(1)
        XCTAssertEqual(controller.events, [.next(1)])
        func asynchronous(_ done: @escaping Single<Int>.SingleObserver) { done(.success(5)) }
        let single = Single<Int>.create { single in
            asynchronous(single)
            return Disposables.create()
        }
        XCTAssertEqual(try all(single), [5])
    }

    func testTupleClosures() throws {
        let numbers = Observable.of(1, 2)
        let texts = Observable.of("a", "b")
        XCTAssertEqual(
            try all(Observable.zip(numbers, texts).map { number, text in "\(number)\(text)" }), ["1a", "2b"])
        XCTAssertEqual(
            try all(Observable.combineLatest(numbers, texts, resultSelector: { ($0, $1) }).map { "\($0)\($1)" }),
            ["1a", "2a", "2b"])
        XCTAssertEqual(
            try all(numbers.withLatestFrom(texts, resultSelector: { ($0, $1) }).map { $0.0 }), [1, 2])
        var log: [String] = []
        Observable.zip(numbers, texts).subscribe(onNext: { (number, text) in log.append("\(number)\(text)") })
            .disposed(by: bag)
        XCTAssertEqual(log, ["1a", "2b"])
    }

    func testVoid() throws {
        let relay = PublishRelay<Void>()
        let subject = PublishSubject<Void>()
        var count = 0
        Observable.merge(relay.asObservable(), subject.asObservable(), .just(())).subscribe(onNext: { count += 1 })
            .disposed(by: bag)
        relay.accept(())
        subject.onNext(())
        XCTAssertEqual(count, 3)
        XCTAssertEqual(try all(Single<Void>.just(())).count, 1)
        let void: Observable<Void> = Observable.of(1).map { _ in }
        XCTAssertEqual(try all(void).count, 1)
        XCTAssertEqual(try all(Observable.of(1).map { _ in () }).count, 1)
    }

    func testRetryWithoutTypes() throws {
        var attempts = 0
        let stream = Observable<Int>.deferred {
            attempts += 1
            return attempts < 3 ? .error(TestError.one) : .just(attempts)
        }
        XCTAssertEqual(try all(stream.retry(when: { errors in errors.map { _ in 1 } })), [3])
        attempts = 0
        XCTAssertEqual(try all(stream.retry(when: { errors in errors.flatMap { _ in Observable.just(()) } })), [3])
        attempts = 0
        XCTAssertEqual(try all(stream.retry { errors in errors }), [3])
    }

    func testRelays() {
        let list = BehaviorRelay<[Int]>(value: [])
        list.accept(list.value + [1])
        list.accept(list.value + [2])
        XCTAssertEqual(list.value, [1, 2])
        let stream = list.asObservable().map { $0.count }
        var counts: [Int] = []
        stream.subscribe(onNext: { counts.append($0) }).disposed(by: bag)
        XCTAssertEqual(counts, [2])
    }

    func testErrorsAsTheyAreCompared() {
        let error: Error = RxError.timeout
        if case RxError.timeout = error {} else { XCTFail("The pattern must match.") }
        switch error {
        case let rx as RxError: XCTAssertEqual(rx.debugDescription, "Sequence timeout.")
        default: XCTFail("It is an RxError.")
        }
        let disposed = RxError.disposed(object: self)
        XCTAssertTrue("\(disposed)".contains("already disposed"))
    }

    func testCollectionsOfStreams() throws {
        let streams: [Observable<Int>] = [.just(1), .just(2), .of(3, 4)]
        XCTAssertEqual(try all(Observable.concat(streams)), [1, 2, 3, 4])
        XCTAssertEqual(try all(Observable.merge(streams)).sorted(), [1, 2, 3, 4])
        XCTAssertEqual(try all(Observable.combineLatest(streams)).last, [1, 2, 4])
        XCTAssertEqual(try all(Observable.zip(streams)).count, 1)
        XCTAssertEqual(try all(Observable.from(streams).concatMap { $0 }), [1, 2, 3, 4])
        XCTAssertEqual(try all(Observable.concat(streams.lazy.map { $0.map { $0 * 2 } })), [2, 4, 6, 8])
    }
}
