import Rx
import RxTest
import Testing

@Suite struct IfEmptyTests {
    let none: [RecordedEvent<Int>] = [.completed(220)]

    @Test func aDefaultReplacesAMissingElement() {
        check(none, gives: [.next(220, 5), .completed(220)], lives: (200, 220)) { stream, _ in
            stream.ifEmpty(default: 5)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in
            stream.ifEmpty(default: 5)
        }
        check(
            [.error(220, TestError.first)] as [RecordedEvent<Int>], gives: [.error(220, TestError.first)],
            lives: (200, 220)
        ) {
            stream, _ in stream.ifEmpty(default: 5)
        }
    }

    @Test func anotherStreamReplacesAnEmptyStream() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(none)
        let other = scheduler.createColdObservable([.next(10, 7), .completed(20)] as [RecordedEvent<Int>])
        let result = scheduler.start { source.asObservable().ifEmpty(switchTo: other.asObservable()) }
        #expect(result.events == [.next(230, 7), .completed(240)])
        #expect(source.subscriptions == [Subscription(200, 220)])
        #expect(other.subscriptions == [Subscription(220, 240)])
    }

    @Test func theOtherStreamIsNotSubscribedToWithoutNeed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)] as [RecordedEvent<Int>])
        let other = scheduler.createColdObservable([.next(10, 7), .completed(20)] as [RecordedEvent<Int>])
        let result = scheduler.start { source.asObservable().ifEmpty(switchTo: other.asObservable()) }
        #expect(result.events == [.next(210, 1), .completed(220)])
        #expect(other.subscriptions.isEmpty)
    }

    @Test func theOtherStreamMayFailOrBeDisposedOf() {
        check(none, gives: [.error(220, TestError.second)] as [RecordedEvent<Int>], lives: (200, 220)) {
            stream, _ in
            stream.ifEmpty(switchTo: .error(TestError.second))
        }
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(none)
        let other = scheduler.createColdObservable([.next(50, 7)] as [RecordedEvent<Int>])
        let result = scheduler.start(disposed: 240) {
            source.asObservable().ifEmpty(switchTo: other.asObservable())
        }
        #expect(result.events.isEmpty)
        #expect(other.subscriptions == [Subscription(220, 240)])
    }
}
