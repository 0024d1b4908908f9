// Every operator with a time also has an overload with a `Duration`. The overloads are disfavored, so that
// `.seconds(5)` remains a `DispatchTimeInterval`, which has a case of that name.

extension ObservableType {
    /// As `delay(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        delay(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `delaySubscription(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delaySubscription(_ dueTime: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        delaySubscription(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `debounce(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func debounce(_ dueTime: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        debounce(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `throttle(_:latest:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func throttle(
        _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        throttle(RxTimeInterval(dueTime), latest: latest, scheduler: scheduler)
    }

    /// As `timeout(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func timeout(_ dueTime: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `timeout(_:other:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func timeout<Other: ObservableConvertibleType>(
        _ dueTime: Duration, other: Other, scheduler: any SchedulerType
    ) -> Observable<Element> where Other.Element == Element {
        timeout(RxTimeInterval(dueTime), other: other, scheduler: scheduler)
    }

    /// As `take(for:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func take(for duration: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: RxTimeInterval(duration), scheduler: scheduler)
    }

    /// As `skip(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func skip(_ duration: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        skip(RxTimeInterval(duration), scheduler: scheduler)
    }

    /// As `skip(for:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func skip(for duration: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        skip(for: RxTimeInterval(duration), scheduler: scheduler)
    }

    /// As `buffer(timeSpan:count:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func buffer(timeSpan: Duration, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
        buffer(timeSpan: RxTimeInterval(timeSpan), count: count, scheduler: scheduler)
    }

    /// As `window(timeSpan:count:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func window(
        timeSpan: Duration, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        window(timeSpan: RxTimeInterval(timeSpan), count: count, scheduler: scheduler)
    }
}

extension ObservableType where Element: RxAbstractInteger {
    /// As `interval(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public static func interval(_ period: Duration, scheduler: any SchedulerType) -> Observable<Element> {
        interval(RxTimeInterval(period), scheduler: scheduler)
    }

    /// As `timer(_:period:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public static func timer(
        _ dueTime: Duration, period: Duration? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        timer(RxTimeInterval(dueTime), period: period.map { RxTimeInterval($0) }, scheduler: scheduler)
    }
}
