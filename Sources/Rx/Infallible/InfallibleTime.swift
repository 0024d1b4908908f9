extension InfallibleType {
    /// Emits each element after which no other element arrives for the given time.
    ///
    /// At completion a waiting element is sent at once.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Emits an element, then drops elements for a time. With `latest`, the last dropped element follows.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Delays elements and completion by the given time.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the stream after the given time.
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
        -> Infallible<Element>
    {
        Infallible(asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }
}

// Overloads with a `Duration`.
extension InfallibleType {
    /// As `delay(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
        delay(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `delaySubscription(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delaySubscription(_ dueTime: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
        delaySubscription(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `debounce(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func debounce(_ dueTime: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
        debounce(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `throttle(_:latest:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func throttle(
        _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        throttle(RxTimeInterval(dueTime), latest: latest, scheduler: scheduler)
    }

    /// As `take(for:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func take(for duration: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
        take(for: RxTimeInterval(duration), scheduler: scheduler)
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// As `interval(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public static func interval(_ period: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
        interval(RxTimeInterval(period), scheduler: scheduler)
    }

    /// As `timer(_:period:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public static func timer(
        _ dueTime: Duration, period: Duration? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        timer(RxTimeInterval(dueTime), period: period.map { RxTimeInterval($0) }, scheduler: scheduler)
    }
}
