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

    /// What the closure makes of the stream.
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// What the closure makes of the stream and the argument: `bind(to: f, curriedArgument: a)` is `f(stream)(a)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Hands each element to the closure. An error traps in a debug build and is ignored otherwise.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: bindingFailed)
    }

    /// Hands each element to the closure with an object, which is held weakly. An error traps in a debug build.
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

/// A binding has no place to show an error.
@Sendable func bindingFailed(_ error: any Error) {
    assertionFailure("A binding was given an error: \(error).")
}
