import Rx
import RxTest
import Testing

/// What a subscription holds goes with its end, also when the user keeps the disposable.
@Suite struct LettingGoTests {
    /// Holds its own subscriptions, whose closures mention it.
    private final class Screen: @unchecked Sendable {
        // Guard for `@unchecked`: used by one thread.
        let bag = DisposeBag()
        let kept = CompositeDisposable()
        var own: (any Disposable)?
        var heard = 0
    }

    /// Whether the screen is gone when nobody but its own subscriptions mentions it.
    private func goes(_ use: (Screen) -> Void) -> Bool {
        weak var gone: Screen?
        do {
            let screen = Screen()
            gone = screen
            use(screen)
        }
        return gone == nil
    }

    @Test func anObjectGoesWhenTheStreamItListensToEnded() {
        for end in [.completed, .error(TestError.first)] as [Event<Int>] {
            let subject = PublishSubject<Int>()
            #expect(
                goes { screen in
                    subject.subscribe(onNext: { screen.heard = $0 }, onError: { _ in }).disposed(by: screen.bag)
                    subject.map { $0 }.subscribe { screen.heard = $0.element ?? 0 }.disposed(by: screen.bag)
                    subject.onNext(1)
                    subject.on(end)
                })
        }
        #expect(goes { screen in screen.own = Observable.just(1).subscribe(AnyObserver { _ in screen.heard += 1 }) })
        #expect(goes { screen in screen.own = Observable<Int>.empty().subscribe(onDisposed: { screen.heard += 1 }) })
        #expect(goes { screen in screen.own = Single.just(1).subscribe(onSuccess: { screen.heard = $0 }) })
        #expect(goes { screen in screen.own = Maybe<Int>.empty().subscribe(onCompleted: { screen.heard += 1 }) })
        #expect(goes { screen in screen.own = Completable.empty().subscribe(onCompleted: { screen.heard += 1 }) })
    }

    @Test func anObjectGoesWhenItGaveItsSubscriptionUpAndKeepsTheDisposable() {
        let subject = PublishSubject<Int>()
        #expect(
            goes { screen in
                let own = subject.map { $0 }.subscribe(onNext: { screen.heard = $0 }, onDisposed: { screen.heard = 0 })
                screen.own = own
                own.dispose()
            })
        #expect(subject.hasObservers == false)
    }

    @Test func anObjectGoesWithTheDisposalOfTheSubjectItListensTo() {
        let (publish, behavior) = (PublishSubject<Int>(), BehaviorSubject(value: 0))
        #expect(
            goes { screen in
                screen.own = publish.subscribe(onNext: { screen.heard = $0 })
                _ = behavior.subscribe(onNext: { screen.heard = $0 })
                publish.onNext(1)
                publish.dispose()
                behavior.dispose()
                screen.own = nil
            })
    }

    @Test func ambLetsGoOfStreamsThatNeverSpoke() {
        weak var gone: Screen?
        do {
            let screen = Screen()
            gone = screen
            Observable<Int>.never().amb(Observable.never()).subscribe(onNext: { screen.heard = $0 }).dispose()
        }
        #expect(gone == nil)
    }

    @Test func aSharedStreamForgetsItsElementsWithItsLastSubscriber() {
        let subject = PublishSubject<Screen>()
        for replay in 1...2 {
            let shared = subject.share(replay: replay)
            #expect(
                goes { screen in
                    let subscription = shared.subscribe()
                    subject.onNext(screen)
                    subscription.dispose()
                })
            _ = shared
        }
    }
}
