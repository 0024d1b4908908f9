extension PrimitiveSequence {
    /// As `delay(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        delay(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `delaySubscription(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func delaySubscription(
        _ dueTime: Duration, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        delaySubscription(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `timeout(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func timeout(_ dueTime: Duration, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        timeout(RxTimeInterval(dueTime), scheduler: scheduler)
    }

    /// As `timeout(_:other:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public func timeout(
        _ dueTime: Duration, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        timeout(RxTimeInterval(dueTime), other: other, scheduler: scheduler)
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger {
    /// As `timer(_:scheduler:)`, with a `Duration`.
    @_disfavoredOverload
    public static func timer(_ dueTime: Duration, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        timer(RxTimeInterval(dueTime), scheduler: scheduler)
    }
}
