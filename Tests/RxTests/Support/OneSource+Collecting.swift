import Dispatch
import Rx
import RxTest

extension OneSource {
    static let keeper = Holder()

    /// The operators that collect, group, number or time elements.
    static let collecting: [OneSource] = [
        OneSource("enumerated") { stream, _ in stream.enumerated().map(\.element) },
        OneSource("withUnretained") { stream, _ in stream.withUnretained(keeper) { $1 } },
        OneSource("groupBy, joined") { stream, _ in stream.groupBy { $0 % 2 }.flatMap { $0 } },
        OneSource("window without limits, joined") { stream, scheduler in
            stream.window(timeSpan: .never, count: 0, scheduler: scheduler).flatMap { $0 }
        },
        OneSource("buffer of one") { stream, scheduler in
            stream.buffer(timeSpan: .never, count: 1, scheduler: scheduler).compactMap(\.first)
        },
        OneSource("skip(for:) of nothing") { stream, scheduler in stream.skip(for: .seconds(0), scheduler: scheduler) },
        OneSource(
            "groupBy", [.next(210, 1), .next(220, 0), .completed(300)],
            onFailing: [.next(210, 1), .next(220, 0), .error(225, TestError.first)]
        ) { stream, _ in stream.groupBy { $0 % 2 }.map(\.key) },
        OneSource(
            "buffer",
            [.next(220, 2), .next(240, 2), .next(265, 1), .next(290, 0), .next(300, 0), .completed(300)],
            onFailing: [.next(220, 2), .error(225, TestError.first)]
        ) { stream, scheduler in stream.buffer(timeSpan: .seconds(25), count: 2, scheduler: scheduler).map(\.count) },
        OneSource(
            "window",
            [.next(210, 1), .next(220, 2), .next(230, 13), .next(240, 14), .next(250, 25), .completed(300)],
            onFailing: [.next(210, 1), .next(220, 2), .error(225, TestError.first)]
        ) { stream, scheduler in
            stream.window(timeSpan: .seconds(25), count: 2, scheduler: scheduler).enumerated()
                .flatMap { number, window in window.map { number * 10 + $0 } }
        },
        OneSource("skip(for:)", [.next(230, 3), .next(240, 4), .next(250, 5), .completed(300)]) { stream, scheduler in
            stream.skip(for: .seconds(25), scheduler: scheduler)
        },
        OneSource(
            "take(for:) of 22", [.next(210, 1), .next(220, 2), .completed(222)], (200, 222),
            onFailing: [.next(210, 1), .next(220, 2), .completed(222)], (200, 222)
        ) { stream, scheduler in stream.take(for: .seconds(22), scheduler: scheduler) },
        OneSource(
            "sample", [.next(224, 2), .next(248, 4), .next(272, 5), .completed(320)],
            onFailing: [.next(224, 2), .error(225, TestError.first)]
        ) { stream, scheduler in stream.sample(Observable<Int>.interval(.seconds(24), scheduler: scheduler)) },
    ]
}
