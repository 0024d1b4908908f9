extension InfallibleType {
    /// Subscribes the observers to the stream.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        let observers = UncheckedTransfer(observers.map { AnyObserver($0) })
        return subscribe { event in for observer in observers.value { observer.on(event.event) } }
    }

    /// Subscribes observers of optional elements to the stream.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        let observers = UncheckedTransfer(observers.map { AnyObserver($0) })
        return subscribe { event in
            for observer in observers.value { observer.on(event.event.map { $0 }) }
        }
    }

    /// What the closure makes of the stream.
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// What the closure makes of the stream and the argument: `bind(to: f, curriedArgument: a)` is `f(stream)(a)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Hands each element to the closure.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }

    /// Hands each element to the closure with an object, which is held weakly.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }

    /// Hands each element to the relays. The end is not passed on.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to the relays. The end is not passed on.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to the relays. The end is not passed on.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }
}
