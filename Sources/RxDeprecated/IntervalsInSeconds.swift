public import Rx

extension ObservableType {
    /// `delay` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func delay(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        delay(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `delaySubscription` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func delaySubscription(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        delaySubscription(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `debounce` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func debounce(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        debounce(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `timeout` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func timeout(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `skip` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func skip(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        skip(for: RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `take` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func take(_ dueTime: Double, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `timeout` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func timeout<Other: ObservableConvertibleType>(_ dueTime: Double, other: Other, scheduler: any SchedulerType)
        -> Observable<Element>
    where Other.Element == Element {
        timeout(RxTimeInterval(seconds: dueTime), other: other, scheduler: scheduler)
    }

    /// `throttle` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func throttle(_ dueTime: Double, latest: Bool = true, scheduler: any SchedulerType) -> Observable<Element> {
        throttle(RxTimeInterval(seconds: dueTime), latest: latest, scheduler: scheduler)
    }

    /// `buffer` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func buffer(timeSpan: Double, count: Int, scheduler: any SchedulerType) -> Observable<[Element]> {
        buffer(timeSpan: RxTimeInterval(seconds: timeSpan), count: count, scheduler: scheduler)
    }

    /// `window` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func window(timeSpan: Double, count: Int, scheduler: any SchedulerType) -> Observable<Observable<Element>> {
        window(timeSpan: RxTimeInterval(seconds: timeSpan), count: count, scheduler: scheduler)
    }
}

extension ObservableType where Element: FixedWidthInteger {
    /// `interval` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public static func interval(_ period: Double, scheduler: any SchedulerType) -> Observable<Element> {
        interval(RxTimeInterval(seconds: period), scheduler: scheduler)
    }

    /// `timer` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public static func timer(
        _ dueTime: Double, period: Double? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        timer(
            RxTimeInterval(seconds: dueTime), period: period.map { RxTimeInterval(seconds: $0) },
            scheduler: scheduler)
    }
}

extension PrimitiveSequence {
    /// `delay` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func delay(_ dueTime: Double, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        delay(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `delaySubscription` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func delaySubscription(_ dueTime: Double, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element>
    {
        delaySubscription(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `timeout` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func timeout(_ dueTime: Double, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        timeout(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }

    /// `timeout` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public func timeout(_ dueTime: Double, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType)
        -> PrimitiveSequence<Trait, Element>
    {
        timeout(RxTimeInterval(seconds: dueTime), other: other, scheduler: scheduler)
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger {
    /// `timer` with seconds instead of an interval.
    @available(*, deprecated, message: "Pass an interval, for example .milliseconds(300).")
    public static func timer(_ dueTime: Double, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        timer(RxTimeInterval(seconds: dueTime), scheduler: scheduler)
    }
}
