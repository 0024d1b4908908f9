import Rx
import RxTest
import Testing

/// Elements: changed, selected, and combined with earlier ones.
func totals(_ values: Observable<Int>) -> Observable<String> {
    values
        .filter { $0 >= 0 }
        .scan(0, accumulator: +)
        .distinctUntilChanged()
        .take(while: { $0 < 100 })
        .map { "total \($0)" }
        .startWith("begin")
}

/// Several streams: side by side, one after another, or the latest of each.
func combinations(_ one: Observable<Int>, _ two: Observable<Int>) -> Observable<[Int]> {
    let merged = Observable.merge(one, two).toArray().asObservable()
    let joined = Observable.concat([one, two]).toArray().asObservable()
    let pairs = Observable.zip(one, two) { [$0, $1] }
    let latest = Observable.combineLatest(one, two) { [$0, $1] }
    return .concat([merged, joined, pairs, latest.takeLast(1)])
}

/// Errors and time: a limit, three attempts with growing pauses, and a value instead of the error.
func patient(_ request: Single<String>, on scheduler: any SchedulerType) -> Single<String> {
    request
        .timeout(.seconds(5), scheduler: scheduler)
        .retry { (errors: Observable<any Error>) in
            errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                attempt < 2 ? .timer(.seconds(1 << attempt), scheduler: scheduler) : .error(error)
            }
        }
        .catchAndReturn("no answer")
}

/// Searches while the user types: waits for a pause, and drops the answer to an earlier text.
func search(
    _ text: Observable<String>, on scheduler: any SchedulerType,
    _ find: @escaping @Sendable (String) -> Single<[String]>
) -> Observable<[String]> {
    text.debounce(.milliseconds(300), scheduler: scheduler)
        .distinctUntilChanged()
        .flatMapLatest { find($0) }
}

struct OperatorExampleTests {
    @Test func `Elements and streams are combined`() throws {
        let lines = try totals(.of(1, -5, 2, 0, 200)).toBlocking(timeout: 5).toArray()
        #expect(lines == ["begin", "total 1", "total 3"])
        let lists = try combinations(.of(1, 2), .of(3, 4)).toBlocking(timeout: 5).toArray()
        #expect(lists.last == [2, 4] && lists[1] == [1, 2, 3, 4])
    }

    @Test func `Errors, pauses and typing are handled in virtual time`() {
        struct Failure: Error {}
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let answers = scheduler.createObserver(String.self)
        let request = patient(.error(Failure()), on: scheduler).asObservable().subscribe(answers)
        let text = PublishSubject<String>()
        let results = scheduler.createObserver([String].self)
        let searching = search(text, on: scheduler) { .just([$0]) }.subscribe(results)
        for typed in ["h", "ha", "hal", "hall"] { text.onNext(typed) }
        scheduler.advanceTo(10_000)
        #expect(answers.events.first?.value.element == "no answer")
        #expect(results.events.compactMap(\.value.element) == [["hall"]])
        request.dispose()
        searching.dispose()
    }
}
