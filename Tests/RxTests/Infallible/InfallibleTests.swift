import Dispatch
import Rx
import RxTest
import Testing

@Suite struct InfallibleTests {
    let log = Log<String>()

    func note(_ stream: Infallible<Int>) -> any Disposable {
        stream.subscribe(
            onNext: { [log] in log.add("\($0)") }, onCompleted: { [log] in log.add("|") },
            onDisposed: { [log] in log.add("-") })
    }

    @Test func createSendsEventsUntilTheEnd() {
        let stream = Infallible<Int>.create { [log] tell in
            tell(.next(1))
            tell(.completed)
            tell(.next(2))
            return Disposables.create { log.add("disposed") }
        }
        _ = note(stream)
        #expect(log.all == ["1", "|", "-", "disposed"])
    }

    @Test func disposalInsideAnElementStopsTheStream() {
        let subject = PublishRelay<Int>()
        let holder = Holder()
        holder.hold(
            subject.asInfallible().subscribe(onNext: { [log] value in
                log.add("\(value)")
                if value == 2 { holder.drop() }
            }))
        for value in 1...3 { subject.accept(value) }
        #expect(log.all == ["1", "2"])
    }

    @Test func allEventsAreSentToOneClosure() {
        _ = Infallible.of(1, 2).subscribe { [log] event in
            switch event {
            case .next(let value): log.add("\(value)")
            case .completed: log.add("|")
            }
        }
        #expect(log.all == ["1", "2", "|"])
    }

    @Test(arguments: [(usual, 300), (failing, 225)])
    func anErrorIsReplaced(_ script: [RecordedEvent<Int>], _ end: Int) {
        let failed = end == 225
        let replaced: [RecordedEvent<Int>] = [.next(210, 1), .next(220, 2), .next(225, 9), .completed(225)]
        for way in 0..<3 {
            check(script, gives: failed ? replaced : Array(usual.dropFirst()), lives: (200, end)) { stream, _ in
                switch way {
                case 0: stream.asInfallible(onErrorJustReturn: 9).asObservable()
                case 1: stream.asInfallible(onErrorFallbackTo: .just(9)).asObservable()
                default: stream.asInfallible(onErrorRecover: { $0 is TestError ? .just(9) : .never() }).asObservable()
                }
            }
        }
    }

    @Test func operatorsBehaveAsOnObservables() {
        func both(
            _ expected: [RecordedEvent<Int>], _ operation: (Infallible<Int>, TestScheduler) -> Infallible<Int>
        ) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable(usual)
            let stream = operation(source.asObservable().asInfallible(onErrorJustReturn: -1), scheduler)
            #expect(scheduler.start { stream }.events == expected)
        }
        both([.next(220, 20), .next(240, 40), .completed(300)]) { stream, _ in
            stream.filter { $0 % 2 == 0 }.map { $0 * 10 }
        }
        both([.next(210, 1), .next(220, 2), .completed(220)]) { stream, _ in stream.take(2) }
        both([.next(210, 1), .next(220, 2), .completed(225)]) { stream, scheduler in
            stream.take(until: Infallible<Int>.timer(.seconds(25), scheduler: scheduler))
        }
        both([.next(240, 4), .next(250, 5), .completed(300)]) { stream, _ in stream.skip(while: { $0 < 4 }) }
        both([.next(240, 4), .next(250, 5), .completed(300)]) { stream, scheduler in
            stream.skip(until: Observable<Int>.timer(.seconds(35), scheduler: scheduler))
        }
        both([.next(210, 1), .next(220, 3), .next(230, 6), .next(240, 10), .next(250, 15), .completed(300)]) {
            stream, _ in stream.scan(0) { $0 + $1 }
        }
        both([.next(265, 5), .completed(300)]) { stream, scheduler in
            stream.debounce(.seconds(15), scheduler: scheduler)
        }
        both([.next(210, 0), .next(220, 1), .next(240, 2), .completed(300)]) { stream, _ in
            stream.map { $0 / 2 }.distinctUntilChanged().filter { $0 < 9 }.compactMap { $0 }
                .flatMap { Infallible.just($0) }.filter { [0, 1, 2].contains($0) }
        }
        both([.next(200, 0), .next(210, 1), .completed(210)]) { stream, _ in
            stream.startWith(0).concatMap { Infallible.just($0) }.take(2)
        }
    }

    @Test func infalliblesCanBeCombined() {
        _ = Infallible.zip(Infallible.of(1, 2), Infallible.of(3, 4), resultSelector: { $0 * $1 })
            .subscribe(onNext: { [log] in log.add("\($0)") })
        _ = Infallible.combineLatest(Infallible.just(1), Infallible.just("a"), Infallible.just(2.5))
            .subscribe(onNext: { [log] in log.add("\($0.0)\($0.1)\($0.2)") })
        _ = Infallible.zip([Infallible.just(1), .just(2)]).subscribe(onNext: { [log] in log.add("\($0)") })
        _ = note(Infallible.concat(.just(1), .just(2)))
        _ = note(Infallible.merge(.just(3), .just(4)))
        #expect(
            log.all == ["3", "8", "1a2.5", "[1, 2]", "1", "2", "|", "-", "3", "4", "|", "-"])
    }

    @Test func valuesCanBeAwaited() async {
        var all: [Int] = []
        for await value in Infallible.of(1, 2, 3).values { all.append(value) }
        #expect(all == [1, 2, 3])
    }
}
