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

    /// Passes the stream to the closure and returns the result.
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// Returns the result of a curried closure: `bind(to: f, curriedArgument: a)` is `f(stream)(a)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Calls the closure for each element.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }

    /// Calls the closure with each element and an object, which is held weakly.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }

    /// Sends each element to the relays. Completion is not forwarded.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements. Completion is not forwarded.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to the relays. Completion is not forwarded.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements. Completion is not forwarded.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to the relays. Completion is not forwarded.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements. Completion is not forwarded.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }
}
