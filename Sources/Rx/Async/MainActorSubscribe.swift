extension ObservableConvertibleType where Element: Sendable {
    /// Subscribes and calls the given closures on the main actor.
    ///
    /// The closures can use state of the main actor, for example a view model, without warnings. Events arrive on the
    /// main queue, in order; an event that is sent on the main queue arrives at once if no other event waits.
    /// `onDisposed` is called once, after the end or after disposal. An error without `onError` is passed to
    /// `Hooks.defaultErrorHandler`. After disposal on the main actor, only `onDisposed` is called. Dispose of the
    /// result to unsubscribe.
    public func subscribeOnMainActor(
        onNext: (@MainActor @Sendable (Element) -> Void)? = nil,
        onError: (@MainActor @Sendable (any Error) -> Void)? = nil,
        onCompleted: (@MainActor @Sendable () -> Void)? = nil,
        onDisposed: (@MainActor @Sendable () -> Void)? = nil
    ) -> any Disposable {
        let disposed = confined(onDisposed)
        return asObservable().observe(on: MainScheduler.instance).subscribe(
            onNext: confined(onNext), onError: confined(onError), onCompleted: confined(onCompleted),
            // Disposing calls the closure on the thread of the caller.
            onDisposed: { if let disposed { _ = ConcurrentMainScheduler.instance.run(disposed) } })
    }

    /// As `subscribeOnMainActor(onNext:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
    public func subscribeOnMainActor<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@MainActor @Sendable (Object, Element) -> Void)? = nil,
        onError: (@MainActor @Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@MainActor @Sendable (Object) -> Void)? = nil,
        onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribeOnMainActor(
            onNext: { [weak object] value in if let object { onNext?(object, value) } },
            onError: { [weak object] error in if let object { onError?(object, error) } },
            onCompleted: { [weak object] in if let object { onCompleted?(object) } },
            onDisposed: { [weak object] in if let object { onDisposed?(object) } })
    }
}

/// Returns a closure for callers on the main queue.
private func confined<Value: Sendable>(
    _ action: (@MainActor @Sendable (Value) -> Void)?
) -> (@Sendable (Value) -> Void)? {
    guard let action else { return nil }
    return { value in MainActor.assumeIsolated { action(value) } }
}

private func confined(_ action: (@MainActor @Sendable () -> Void)?) -> (@Sendable () -> Void)? {
    guard let action else { return nil }
    return { MainActor.assumeIsolated { action() } }
}
