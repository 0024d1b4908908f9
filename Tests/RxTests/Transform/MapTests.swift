import Rx
import RxTest
import Testing

@Suite struct MapTests {
    @Test func mapTransformsEachElement() {
        check(
            usual,
            gives: [
                .next(210, 10), .next(220, 20), .next(230, 30), .next(240, 40), .next(250, 50),
                .completed(300),
            ], lives: (200, 300)
        ) { stream, _ in stream.map { $0 * 10 } }
    }

    @Test func mapForwardsTheError() {
        check(
            failing, gives: [.next(210, 2), .next(220, 3), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, _ in stream.map { $0 + 1 }
        }
    }

    @Test func mapFailsIfItsClosureThrows() {
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.map { if $0 == 2 { throw TestError.second } else { $0 } }
        }
    }

    @Test func mapsCompose() {
        check(usual, disposed: 225, gives: [.next(210, 12), .next(220, 14)], lives: (200, 225)) {
            stream, _ in
            stream.map { $0 * 2 }.map { $0 + 10 }
        }
    }

    @Test func compactMapDropsNil() {
        check(usual, gives: [.next(220, "2"), .next(240, "4"), .completed(300)], lives: (200, 300)) {
            stream, _ in
            stream.compactMap { $0.isMultiple(of: 2) ? "\($0)" : nil }
        }
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) {
            stream, _ in
            stream.compactMap { if $0 == 2 { throw TestError.second } else { $0 } }
        }
    }

    @Test func theClosureIsNotCalledAfterDisposalInsideIt() {
        let subject = PublishSubject<Int>()
        let calls = Log<Int>()
        let holder = Holder()
        holder.hold(
            subject.map { value in
                calls.add(value)
                holder.drop()
                return value
            }.subscribe(onNext: { _ in Issue.record("An element came after disposal.") }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(calls.all == [1])
    }
}
