extension ObservableType {
    /// Hands each element to the relays. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to the relays. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to the relays. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands each element to relays of optional elements. The end is not passed on; an error traps in a debug build.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in for relay in relays { relay.accept(element) } }
    }
}
