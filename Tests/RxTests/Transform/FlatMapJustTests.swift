import Rx
import RxTest
import Testing

/// `flatMap` takes the element of a `just` without subscribing to it. The result must be the same.
@Suite struct FlatMapJustTests {
    typealias Make = @Sendable (Observable<Int>, @escaping @Sendable (Int) -> Observable<Int>) -> Observable<Int>

    static let all: [Make] = [
        { $0.flatMap($1) }, { $0.flatMapLatest($1) }, { $0.concatMap($1) }, { $0.flatMapFirst($1) },
        { $0.map($1).merge(maxConcurrent: 2) }, { $0.map($1).switchLatest() }, { $0.map($1).merge() },
    ]

    @Test(arguments: 0..<7) func aJustBehavesLikeAnyStreamOfOneElement(_ place: Int) {
        let make = Self.all[place]
        check(usual, gives: usual.dropFirst().map { $0 }, lives: (200, 300)) { source, _ in make(source) { .just($0) } }
        check(usual, gives: usual.dropFirst().map { $0 }, lives: (200, 300)) { source, _ in
            make(source) { Observable.just($0).map { $0 } }
        }
    }

    @Test(arguments: 0..<7) func completionOfTheOuterStreamFromInsideCompletesTheResult(_ place: Int) {
        let make = Self.all[place]
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = make(subject) { .just($0) }
            .subscribe(
                onNext: {
                    log.add("\($0)")
                    subject.onCompleted()
                }, onCompleted: { log.add("completed") })
        subject.onNext(1)
        #expect(log.all == ["1", "completed"])
    }

    /// Elements that the subscriber sends while one is handled.
    ///
    /// With a limit of one they wait, `flatMapFirst` drops them, and all other operators forward them.
    @Test func elementsSentFromInsideWaitOrAreDropped() {
        func trace(_ make: Make) -> [String] {
            let subject = PublishSubject<Int>()
            let log = Log<String>()
            _ = make(subject) { .just($0) }
                .subscribe(
                    onNext: {
                        log.add("\($0)")
                        if $0 == 1 {
                            subject.onNext(2)
                            subject.onCompleted()
                        }
                        log.add("after \($0)")
                    }, onCompleted: { log.add("completed") })
            subject.onNext(1)
            return log.all
        }
        #expect(trace { $0.flatMap($1) } == ["1", "2", "after 2", "after 1", "completed"])
        #expect(trace { $0.concatMap($1) } == ["1", "after 1", "2", "after 2", "completed"])
        #expect(trace { $0.flatMapFirst($1) } == ["1", "after 1", "completed"])
    }

    @Test(arguments: 0..<7) func disposalFromInsideDisposesOfTheSource(_ place: Int) {
        let make = Self.all[place]
        let subject = PublishSubject<Int>()
        let holder = Holder()
        let log = Log<Int>()
        holder.hold(
            make(subject) { .just($0) }.subscribe(onNext: {
                log.add($0)
                holder.drop()
            }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == [1])
        #expect(!subject.hasObservers)
    }
}
