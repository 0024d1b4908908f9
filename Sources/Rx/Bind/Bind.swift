extension ObservableType {
    /// Subscribes the observers to the stream.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        bind(to: observers.map { AnyObserver($0) }) { $0 }
    }

    /// Subscribes observers of optional elements to the stream.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        bind(to: observers.map { AnyObserver($0) }) { $0 }
    }

    /// Passes the stream to the closure and returns the result.
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// Returns the result of a curried closure: `bind(to: f, curriedArgument: a)` is `f(stream)(a)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Calls the closure for each element. An error traps in a debug build and is ignored otherwise.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: bindingFailed)
    }

    /// Calls the closure with each element and an object, which is held weakly.
    ///
    /// An error traps in a debug build and is ignored otherwise.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(
            onNext: { [weak object] element in if let object { onNext(object, element) } },
            onError: bindingFailed)
    }

    private func bind<Target>(
        to observers: [AnyObserver<Target>], _ convert: @escaping @Sendable (Element) -> Target
    ) -> any Disposable {
        let observers = UncheckedTransfer(observers)
        return subscribe { event in
            let converted = event.map(convert)
            for observer in observers.value { observer.on(converted) }
        }
    }
}

/// The error handler of a binding. It traps in a debug build and ignores the error otherwise.
@Sendable func bindingFailed(_ error: any Error) {
    assertionFailure("A binding received an error: \(error). Handle errors before the binding.")
}

extension ObservableType {
    /// Sends each element to the relays. Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements.
    ///
    /// Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to the relays. Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements.
    ///
    /// Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to the relays. Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Sends each element to relays of optional elements.
    ///
    /// Completion is not forwarded; an error traps in a debug build.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }
}
