import Rx
import RxTest
import Testing

/// A subscription releases its objects at its end, even if the user stores the disposable.
@Suite struct SubscriptionReleaseTests {
    /// An object that stores subscriptions. Their closures retain the object.
    private final class Screen: @unchecked Sendable {
        // Guard for `@unchecked`: only one thread uses it.
        let bag = DisposeBag()
        let kept = CompositeDisposable()
        var own: (any Disposable)?
        var received = 0
    }

    /// Returns whether the screen is released when only its own subscriptions refer to it.
    private func goes(_ use: (Screen) -> Void) -> Bool {
        weak var gone: Screen?
        do {
            let screen = Screen()
            gone = screen
            use(screen)
        }
        return gone == nil
    }

    @Test func anObserverIsReleasedWhenItsStreamEnds() {
        for end in [.completed, .error(TestError.first)] as [Event<Int>] {
            let subject = PublishSubject<Int>()
            #expect(
                goes { screen in
                    subject.subscribe(onNext: { screen.received = $0 }, onError: { _ in }).disposed(by: screen.bag)
                    subject.map { $0 }.subscribe { screen.received = $0.element ?? 0 }.disposed(by: screen.bag)
                    subject.onNext(1)
                    subject.on(end)
                })
        }
        #expect(goes { screen in screen.own = Observable.just(1).subscribe(AnyObserver { _ in screen.received += 1 }) })
        #expect(goes { screen in screen.own = Observable<Int>.empty().subscribe(onDisposed: { screen.received += 1 }) })
        #expect(goes { screen in screen.own = Single.just(1).subscribe(onSuccess: { screen.received = $0 }) })
        #expect(goes { screen in screen.own = Maybe<Int>.empty().subscribe(onCompleted: { screen.received += 1 }) })
        #expect(goes { screen in screen.own = Completable.empty().subscribe(onCompleted: { screen.received += 1 }) })
    }

    @Test func anObserverIsReleasedAfterDisposalDespiteItsDisposable() {
        let subject = PublishSubject<Int>()
        #expect(
            goes { screen in
                let own = subject.map { $0 }.subscribe(
                    onNext: { screen.received = $0 }, onDisposed: { screen.received = 0 })
                screen.own = own
                own.dispose()
            })
        #expect(subject.hasObservers == false)
    }

    @Test func anObserverIsReleasedWhenItsSubjectIsDisposedOf() {
        let (publish, behavior) = (PublishSubject<Int>(), BehaviorSubject(value: 0))
        #expect(
            goes { screen in
                screen.own = publish.subscribe(onNext: { screen.received = $0 })
                _ = behavior.subscribe(onNext: { screen.received = $0 })
                publish.onNext(1)
                publish.dispose()
                behavior.dispose()
                screen.own = nil
            })
    }

    @Test func ambReleasesStreamsThatNeverSentAnEvent() {
        weak var gone: Screen?
        do {
            let screen = Screen()
            gone = screen
            Observable<Int>.never().amb(Observable.never()).subscribe(onNext: { screen.received = $0 }).dispose()
        }
        #expect(gone == nil)
    }

    @Test func aSharedStreamReleasesElementsAfterItsLastSubscriber() {
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
