extension PrimitiveSequence {
    /// Delays the outcome by the given time. An error is forwarded at once.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the sequence after the given time.
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers the events of the sequence on the scheduler.
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.observe(on: scheduler))
    }

    /// Subscribes to the sequence and disposes of the subscription on the scheduler.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.subscribe(on: scheduler))
    }

    /// Fails with `RxError.timeout` if the sequence does not end in the given time.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.timeout(dueTime, scheduler: scheduler))
    }

    /// Switches to the other sequence if this sequence does not end in the given time.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>,
        scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.timeout(dueTime, other: other.stream, scheduler: scheduler))
    }
}

// Overloads with a `Duration`.
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
