import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// A target of bindings. Guard: tests set `brightness` on one thread at a time.
private final class Lamp: ReactiveCompatible, @unchecked Sendable {
    var brightness = 0
    let switched = Log<Int>()
}

extension Reactive where Base == Lamp {
    fileprivate var level: Binder<Int> { Binder(base, scheduler: Now()) { lamp, value in lamp.switched.add(value) } }
}

/// A scheduler that runs work at once on the calling thread.
private struct Now: ImmediateSchedulerType {
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }
}

@Suite struct BindTests {
    let log = Log<Int>()

    @Test func aBinderSetsElementsAndHoldsItsTargetWeakly() {
        var lamp: Lamp? = Lamp()
        let seen = lamp?.switched
        let subject = PublishSubject<Int>()
        if let lamp { _ = subject.bind(to: lamp.rx.level) }
        subject.onNext(1)
        subject.onNext(2)
        weak let gone = lamp
        lamp = nil
        #expect(gone == nil)
        subject.onNext(3)
        subject.onCompleted()
        #expect(seen?.all == [1, 2])
    }

    @Test func aBinderRunsOnItsScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let lamp = Lamp()
        let binder = Binder(lamp, scheduler: scheduler) { lamp, value in lamp.switched.add(value + scheduler.clock) }
        binder.onNext(10)
        #expect(lamp.switched.all.isEmpty)
        scheduler.start()
        #expect(lamp.switched.all == [11])
    }

    @MainActor @Test func aPropertyIsBoundByItsName() {
        let lamp = Lamp()
        _ = Observable.just(7).bind(to: lamp.rx.brightness)
        #expect(lamp.brightness == 7)
        #expect(lamp.rx.base === lamp)
        #expect(Lamp.rx == Reactive<Lamp>.self)
    }

    @Test func aBinderTrapsOnAnErrorInADebugBuild() async {
        await #expect(processExitsWith: .failure) {
            Binder<Int>(Lamp(), binding: { _, _ in }).onError(TestError.first)
        }
    }

    @Test func boundObserversReceiveAllEvents() {
        let scheduler = TestScheduler(initialClock: 0)
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        let optional = scheduler.createObserver(Int?.self)
        _ = Observable.of(1, 2).bind(to: one, two)
        _ = Observable<Int>.error(TestError.first).bind(to: optional)
        #expect(one.events == [.next(0, 1), .next(0, 2), .completed(0)])
        #expect(two.events == one.events)
        #expect(optional.events == [.error(0, TestError.first)])
    }

    @Test func boundRelaysReceiveElementsWithoutTheEnd() {
        let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay<Int?>(value: nil))
        let replay = ReplayRelay<Int>.create(bufferSize: 2)
        _ = publish.subscribe(onNext: { [log] in log.add($0) }, onCompleted: { [log] in log.add(-1) })
        _ = Observable.of(1, 2, 3).bind(to: publish)
        _ = Observable.of(1, 2, 3).bind(to: behavior)
        _ = Infallible.of(1, 2, 3).bind(to: replay)
        #expect(log.all == [1, 2, 3])
        #expect(behavior.value == 3)
        _ = replay.subscribe(onNext: { [log] in log.add($0 * 10) })
        replay.accept(4)
        #expect(log.all == [1, 2, 3, 20, 30, 40])
    }

    @Test func anUnboundedReplayRelayStoresAllElements() {
        let relay = ReplayRelay<Int>.createUnbound()
        for value in 0..<10 { relay.accept(value) }
        _ = relay.asObservable().subscribe(onNext: { [log] in log.add($0) })
        #expect(log.all == Array(0..<10))
    }

    @Test func closuresAndFunctionsCanBeBound() {
        let lamp = Lamp()
        _ = Observable.of(1, 2).bind(onNext: { [log] in log.add($0) })
        _ = Observable.of(3).bind(with: lamp) { lamp, value in lamp.switched.add(value) }
        let sum = Observable.of(4).bind(
            to: { stream in { (offset: Int) in stream.map { $0 + offset } } }, curriedArgument: 10)
        _ = sum.bind(onNext: { [log] in log.add($0) })
        let doubled = Observable.of(5).bind(to: { $0.map { $0 * 2 } })
        _ = doubled.bind(onNext: { [log] in log.add($0) })
        #expect(log.all == [1, 2, 14, 10])
        #expect(lamp.switched.all == [3])
    }

    @Test func disposalInsideABindingStopsIt() {
        let subject = PublishSubject<Int>()
        let holder = Holder()
        holder.hold(
            subject.bind(onNext: { [log] value in
                log.add(value)
                holder.drop()
            }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == [1])
        #expect(!subject.hasObservers)
    }
}
