import Rx
import RxTest
import XCTest

private struct Response: Equatable {
    let url: String
    let status: Int
}

private struct Payload: Equatable {
    let text: String
}

/// A cache for the whole run of the application, as in tutorials on custom operators.
private final class Cache {
    static let shared = Cache()
    var contents: [String: Payload] = [:]
}

extension ObservableType where Element == (Response, Payload) {
    fileprivate func cache() -> Observable<Element> {
        self.do(onNext: { response, payload in
            if response.status == 200 { Cache.shared.contents[response.url] = payload }
        })
    }
}

extension ObservableType {
    /// An operator that removes nil, as tutorials define it.
    fileprivate func filterNil<Wrapped>() -> Observable<Wrapped> where Element == Wrapped? {
        flatMap { $0.map { Observable.just($0) } ?? Observable.empty() }
    }
}

/// A web request that is wrapped in a stream, as tutorials show it.
private final class Session {
    final class Task {
        private let session: Session
        private let url: String
        private let done: (Result<(Response, Payload), Error>) -> Void
        private var timer: Disposable?

        init(_ session: Session, _ url: String, _ done: @escaping (Result<(Response, Payload), Error>) -> Void) {
            self.session = session
            self.url = url
            self.done = done
        }

        func resume() {
            session.log.append("\(session.scheduler.clock) resume \(url)")
            timer = session.scheduler.scheduleRelative((), dueTime: .seconds(30)) { [done, url] _ in
                done(.success((Response(url: url, status: url == "/lost" ? 404 : 200), Payload(text: "<\(url)>"))))
                return Disposables.create()
            }
        }

        func cancel() {
            session.log.append("\(session.scheduler.clock) cancel \(url)")
            timer?.dispose()
        }
    }

    let scheduler: TestScheduler
    var log: [String] = []
    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    func response(_ url: String) -> Observable<(Response, Payload)> {
        Observable.create { observer in
            let task = Task(self, url) { result in
                switch result {
                case .success(let pair):
                    observer.onNext(pair)
                    observer.onCompleted()
                case .failure(let error):
                    observer.onError(error)
                }
            }
            task.resume()
            return Disposables.create(with: task.cancel)
        }
    }
}

final class EndUserScenariosRequest: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testARequestWrappedWithCreateIsCancelledByDispose() {
        let session = Session(scheduler)
        let result = scheduler.start(disposed: 220) { session.response("/slow").map { $0.1.text } }
        XCTAssertEqual(result.events, [])
        XCTAssertEqual(session.log, ["200 resume /slow", "220 cancel /slow"])
    }

    func testARequestThatIsAnsweredIsTidiedUpAtOnce() {
        let session = Session(scheduler)
        let result = scheduler.start { session.response("/quick").map { response, payload in payload.text } }
        XCTAssertEqual(result.events, [.next(230, "</quick>"), .completed(230)])
        XCTAssertEqual(session.log, ["200 resume /quick", "230 cancel /quick"])
    }

    func testACacheOperatorOfTheUser() {
        Cache.shared.contents = [:]
        let session = Session(scheduler)
        let result = scheduler.start {
            Observable.of("/a", "/lost", "/b").concatMap { session.response($0).cache() }.map { $0.0.status }
        }
        XCTAssertEqual(result.events, [.next(230, 200), .next(260, 404), .next(290, 200), .completed(290)])
        XCTAssertEqual(Cache.shared.contents, ["/a": Payload(text: "</a>"), "/b": Payload(text: "</b>")])
    }

    func testAnOperatorOnOptionals() {
        let result = scheduler.start { Observable<Int?>.of(1, nil, 3).filterNil() }
        XCTAssertEqual(result.events, [.next(200, 1), .next(200, 3), .completed(200)])
    }

    func testARequestIsTriedThriceAndThenReplaced() {
        struct Down: Error {}
        var attempts = 0
        let request = Observable<String>.deferred {
            attempts += 1
            return .error(Down())
        }
        let result = scheduler.start { request.retry(3).catchAndReturn("offline") }
        XCTAssertEqual(result.events, [.next(200, "offline"), .completed(200)])
        XCTAssertEqual(attempts, 3)
    }

    func testPollingStopsWithTheBag() {
        var bag = DisposeBag()
        var polls: [Int] = []
        Observable<Int>.interval(.seconds(10), scheduler: scheduler)
            .subscribe(onNext: { [weak self] _ in polls.append(self?.scheduler.clock ?? 0) })
            .disposed(by: bag)
        scheduler.scheduleAt(35) { bag = DisposeBag() }
        scheduler.start()
        XCTAssertEqual(polls, [10, 20, 30])
    }
}
