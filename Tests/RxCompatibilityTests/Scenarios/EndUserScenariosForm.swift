import Rx
import RxTest
import XCTest

/// A sign-up form: user name, password, repeated password, and a service that reports taken names.
final class EndUserScenariosForm: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let disposeBag = DisposeBag()

    private enum Availability: Equatable {
        case empty, checking, taken(String), available(String)
    }

    /// A web service as users write it: a class with state that is not `Sendable`.
    private class Service {
        let scheduler: TestScheduler
        var log: [String] = []
        init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

        func isAvailable(_ name: String) -> Observable<Bool> {
            Observable.create { observer in
                self.log.append("\(self.scheduler.clock) GET \(name)")
                let reply = self.scheduler.scheduleRelative((), dueTime: .seconds(50)) { _ in
                    self.log.append("\(self.scheduler.clock) 200 \(name)")
                    observer.onNext(name.hasSuffix("n"))
                    observer.onCompleted()
                    return Disposables.create()
                }
                return Disposables.create {
                    self.log.append("\(self.scheduler.clock) end \(name)")
                    reply.dispose()
                }
            }
        }
    }

    func testFlatMapLatestCancelsTheEarlierRequestWhenTheUserNameChanges() {
        let service = Service(scheduler)
        let userName = scheduler.createHotObservable([
            .next(210, ""), .next(220, "an"), .next(250, "ann"), .next(320, "anna"),
        ])
        let result = scheduler.start { () -> Observable<Availability> in
            userName.flatMapLatest { name -> Observable<Availability> in
                if name.isEmpty { return .just(.empty) }
                return service.isAvailable(name)
                    .map { $0 ? .available(name) : .taken(name) }
                    .startWith(.checking)
            }
        }
        XCTAssertEqual(
            result.events,
            [
                .next(210, .empty), .next(220, .checking), .next(250, .checking), .next(300, .available("ann")),
                .next(320, .checking), .next(370, .taken("anna")),
            ])
        XCTAssertEqual(
            service.log,
            [
                "220 GET an", "250 end an", "250 GET ann", "300 200 ann", "300 end ann", "320 GET anna",
                "370 200 anna", "370 end anna",
            ])
        XCTAssertEqual(userName.subscriptions, [Subscription(200, 1000)])
    }

    func testCombineLatestOfThreeValidationsEnablesTheButtonOnce() {
        let userName = scheduler.createHotObservable([.next(210, "a"), .next(240, "ann"), .next(270, "anna")])
        let password = scheduler.createHotObservable([.next(215, "1"), .next(250, "12345"), .next(280, "123456")])
        let repeated = scheduler.createHotObservable([.next(216, ""), .next(260, "12345"), .next(290, "123456")])

        let validName = userName.map { $0.count >= 3 }
        let validPassword = password.map { $0.count >= 5 }
        let validRepeat = Observable.combineLatest(password, repeated) { $0.count >= 1 && $1.count >= 5 }

        let enabled = scheduler.start {
            Observable.combineLatest(validName, validPassword, validRepeat) { $0 && $1 && $2 }
                .distinctUntilChanged()
        }
        XCTAssertEqual(enabled.events, [.next(216, false), .next(260, true)])
    }

    func testSearchIsThrottledAndOnlySaysNews() {
        let text = scheduler.createHotObservable([
            .next(210, "r"), .next(215, "rx"), .next(250, "rxs"), .next(255, "rx"), .next(300, "rx swift"),
        ])
        let searches = scheduler.start {
            text.debounce(.seconds(20), scheduler: self.scheduler).distinctUntilChanged()
        }
        XCTAssertEqual(searches.events, [.next(235, "rx"), .next(320, "rx swift")])
    }

    func testAButtonTakesTheLatestOfTheFields() {
        let tap = scheduler.createHotObservable([.next(205, ()), .next(230, ()), .next(260, ())])
        let fields = scheduler.createHotObservable([.next(210, "ann"), .next(240, "bob")])
        let sent = scheduler.start { tap.withLatestFrom(fields) { _, name in "sign up \(name)" } }
        XCTAssertEqual(sent.events, [.next(230, "sign up ann"), .next(260, "sign up bob")])
    }
}
