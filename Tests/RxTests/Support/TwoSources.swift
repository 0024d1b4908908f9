import Dispatch
import Rx
import RxTest
import Testing

/// An operator with two sources and its expected events, for tests that apply to all operators.
struct TwoSources: Sendable, CustomTestStringConvertible {
    let name: String
    let bothComplete: Outcome
    let leftFails: Outcome
    let rightFails: Outcome
    let make: @Sendable (Observable<Int>, Observable<Int>, TestScheduler) -> Observable<Int>

    var testDescription: String { name }

    /// The events of the result, and the lifetimes of the subscriptions to both sources.
    struct Outcome: Sendable, Equatable {
        var received: [RecordedEvent<Int>]
        var left: [Subscription]
        var right: [Subscription]

        init(_ received: [RecordedEvent<Int>], left: (Int, Int), right: (Int, Int)?) {
            self.received = received
            self.left = [Subscription(left.0, left.1)]
            self.right = right.map { [Subscription($0.0, $0.1)] } ?? []
        }

        init(_ received: [RecordedEvent<Int>], _ left: [Subscription], _ right: [Subscription]) {
            self.received = received
            self.left = left
            self.right = right
        }

        /// Returns the outcome that results if the subscription is disposed of at a tick.
        func until(_ end: Int) -> Outcome {
            func cut(_ lives: [Subscription]) -> [Subscription] {
                lives.filter { $0.subscribe < end }.map {
                    Subscription($0.subscribe, min($0.unsubscribe, end))
                }
            }
            return Outcome(received.filter { $0.time < end }, cut(left), cut(right))
        }
    }
}

/// The events that the two sources emit.
enum Sides {
    static let left: [RecordedEvent<Int>] = [
        .next(150, 0), .next(210, 1), .next(230, 2), .next(250, 3), .completed(270),
    ]
    static let right: [RecordedEvent<Int>] = [.next(150, 0), .next(220, 10), .next(240, 20), .completed(260)]
    static let leftFailing: [RecordedEvent<Int>] = [.next(210, 1), .error(225, TestError.first)]
    static let rightFailing: [RecordedEvent<Int>] = [.next(220, 10), .error(225, TestError.second)]
}

private let leftError: RecordedEvent<Int> = .error(225, TestError.first)
private let rightError: RecordedEvent<Int> = .error(225, TestError.second)

extension TwoSources {
    static let all: [TwoSources] = [
        TwoSources(
            name: "merge",
            bothComplete: Outcome(
                [
                    .next(210, 1), .next(220, 10), .next(230, 2), .next(240, 20), .next(250, 3),
                    .completed(270),
                ],
                left: (200, 270), right: (200, 260)),
            leftFails: Outcome(
                [.next(210, 1), .next(220, 10), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome(
                [.next(210, 1), .next(220, 10), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in Observable.merge(left, right) }),
        TwoSources(
            name: "concat",
            bothComplete: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3)], left: (200, 270), right: (270, 1000)),
            leftFails: Outcome([.next(210, 1), leftError], left: (200, 225), right: nil),
            rightFails: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3)], left: (200, 270), right: (270, 1000)),
            make: { left, right, _ in left.concat(right) }),
        TwoSources(
            name: "zip",
            bothComplete: Outcome(
                [.next(220, 11), .next(240, 22), .completed(270)], left: (200, 270), right: (200, 260)),
            leftFails: Outcome([.next(220, 11), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([.next(220, 11), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in Observable.zip(left, right) { $0 + $1 } }),
        TwoSources(
            name: "zip of a collection",
            bothComplete: Outcome(
                [.next(220, 11), .next(240, 22), .completed(270)], left: (200, 270), right: (200, 260)),
            leftFails: Outcome([.next(220, 11), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([.next(220, 11), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in Observable.zip([left, right]) { $0[0] + $0[1] } }),
        TwoSources(
            name: "combineLatest",
            bothComplete: Outcome(
                [.next(220, 11), .next(230, 12), .next(240, 22), .next(250, 23), .completed(270)],
                left: (200, 270),
                right: (200, 260)),
            leftFails: Outcome([.next(220, 11), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([.next(220, 11), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in Observable.combineLatest(left, right) { $0 + $1 } }),
        TwoSources(
            name: "combineLatest of a collection",
            bothComplete: Outcome(
                [.next(220, 11), .next(230, 12), .next(240, 22), .next(250, 23), .completed(270)],
                left: (200, 270),
                right: (200, 260)),
            leftFails: Outcome([.next(220, 11), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([.next(220, 11), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in Observable.combineLatest([left, right]) { $0[0] + $0[1] } }),
        TwoSources(
            name: "sample",
            bothComplete: Outcome([.next(220, 1), .next(240, 2), .next(260, 3)], left: (200, 270), right: (200, 260)),
            leftFails: Outcome([.next(220, 1), leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([.next(220, 1), rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in left.sample(right) }),
        TwoSources(
            name: "withLatestFrom",
            bothComplete: Outcome(
                [.next(230, 12), .next(250, 23), .completed(270)], left: (200, 270), right: (200, 260)),
            leftFails: Outcome([leftError], left: (200, 225), right: (200, 225)),
            rightFails: Outcome([rightError], left: (200, 225), right: (200, 225)),
            make: { left, right, _ in left.withLatestFrom(right) { $0 + $1 } }),
        TwoSources(
            name: "amb",
            bothComplete: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (200, 210)),
            leftFails: Outcome([.next(210, 1), leftError], left: (200, 225), right: (200, 210)),
            rightFails: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (200, 210)),
            make: { left, right, _ in left.amb(right) }),
        TwoSources(
            name: "take(until:)",
            bothComplete: Outcome([.next(210, 1), .completed(220)], left: (200, 220), right: (200, 220)),
            leftFails: Outcome([.next(210, 1), .completed(220)], left: (200, 220), right: (200, 220)),
            rightFails: Outcome([.next(210, 1), .completed(220)], left: (200, 220), right: (200, 220)),
            make: { left, right, _ in left.take(until: right) }),
        TwoSources(
            name: "skip(until:)",
            bothComplete: Outcome(
                [.next(230, 2), .next(250, 3), .completed(270)], left: (200, 270), right: (200, 220)),
            leftFails: Outcome([leftError], left: (200, 225), right: (200, 220)),
            rightFails: Outcome(
                [.next(230, 2), .next(250, 3), .completed(270)], left: (200, 270), right: (200, 220)),
            make: { left, right, _ in left.skip(until: right) }),
        TwoSources(
            name: "flatMap",
            bothComplete: Outcome(
                [.next(220, 10), .next(230, 2), .next(240, 20), .next(250, 3), .completed(270)],
                left: (200, 270),
                right: (210, 260)),
            leftFails: Outcome([.next(220, 10), leftError], left: (200, 225), right: (210, 225)),
            rightFails: Outcome([.next(220, 10), rightError], left: (200, 225), right: (210, 225)),
            make: { left, right, _ in left.flatMap { $0 == 1 ? right : .just($0) } }),
        TwoSources(
            name: "flatMapFirst",
            bothComplete: Outcome(
                [.next(220, 10), .next(240, 20), .completed(270)], left: (200, 270), right: (210, 260)),
            leftFails: Outcome([.next(220, 10), leftError], left: (200, 225), right: (210, 225)),
            rightFails: Outcome([.next(220, 10), rightError], left: (200, 225), right: (210, 225)),
            make: { left, right, _ in left.flatMapFirst { $0 == 1 ? right : .just($0) } }),
        TwoSources(
            name: "flatMapLatest",
            bothComplete: Outcome(
                [.next(220, 10), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (210, 230)),
            leftFails: Outcome([.next(220, 10), leftError], left: (200, 225), right: (210, 225)),
            rightFails: Outcome([.next(220, 10), rightError], left: (200, 225), right: (210, 225)),
            make: { left, right, _ in left.flatMapLatest { $0 == 1 ? right : .just($0) } }),
        TwoSources(
            name: "switchLatest",
            bothComplete: Outcome(
                [.next(220, 10), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (210, 230)),
            leftFails: Outcome([.next(220, 10), leftError], left: (200, 225), right: (210, 225)),
            rightFails: Outcome([.next(220, 10), rightError], left: (200, 225), right: (210, 225)),
            make: { left, right, _ in left.map { $0 == 1 ? right : .just($0) }.switchLatest() }),
        TwoSources(
            name: "concatMap",
            bothComplete: Outcome(
                [.next(220, 10), .next(240, 20), .next(260, 2), .next(260, 3), .completed(270)],
                left: (200, 270),
                right: (210, 260)),
            leftFails: Outcome([.next(220, 10), leftError], left: (200, 225), right: (210, 225)),
            rightFails: Outcome([.next(220, 10), rightError], left: (200, 225), right: (210, 225)),
            make: { left, right, _ in left.concatMap { $0 == 1 ? right : .just($0) } }),
        TwoSources(
            name: "timeout(other:)",
            bothComplete: Outcome(
                [.next(210, 1), .next(240, 20), .completed(260)], left: (200, 228), right: (228, 260)),
            leftFails: Outcome([.next(210, 1), leftError], left: (200, 225), right: nil),
            rightFails: Outcome([.next(210, 1)], left: (200, 228), right: (228, 1000)),
            make: { left, right, scheduler in
                left.timeout(.seconds(18), other: right, scheduler: scheduler)
            }),
        TwoSources(
            name: "catch",
            bothComplete: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270), right: nil
            ),
            leftFails: Outcome(
                [.next(210, 1), .next(240, 20), .completed(260)], left: (200, 225), right: (225, 260)),
            rightFails: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270), right: nil
            ),
            make: { left, right, _ in left.catch { _ in right } }),
        TwoSources(
            name: "retry(when:)",
            bothComplete: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (200, 260)),
            leftFails: Outcome(
                [.next(210, 1)], [Subscription(200, 225), Subscription(240, 1000)], [Subscription(200, 260)]
            ),
            rightFails: Outcome(
                [.next(210, 1), .next(230, 2), .next(250, 3), .completed(270)], left: (200, 270),
                right: (200, 225)),
            make: { left, right, _ in
                left.retry(when: { (_: Observable<any Error>) in right })
            }),
    ]
}
