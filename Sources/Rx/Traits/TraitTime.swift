extension PrimitiveSequence {
    /// The sequence that much later; an error comes at once.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.delay(dueTime, scheduler: scheduler))
    }

    /// The sequence, subscribed to that much later.
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// The sequence, delivered on the scheduler.
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.observe(on: scheduler))
    }

    /// The sequence, subscribed to and disposed of on the scheduler.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.subscribe(on: scheduler))
    }

    /// The sequence, failing with `RxError.timeout` when nothing came for that long.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: stream.timeout(dueTime, scheduler: scheduler))
    }

    /// The sequence, given up for the other one when nothing came for that long.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>,
        scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.timeout(dueTime, other: other.stream, scheduler: scheduler))
    }
}
