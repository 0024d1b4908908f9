extension InfallibleType {
    /// Receives the events of a stream that is made by `create`.
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A cold stream with a closure that runs for each subscription and sends the events.
    ///
    /// The closure may send events from any thread; events after the end are ignored. The disposable that it returns is
    /// disposed of at the end of the stream or when the subscription is disposed of.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(
            Observable<Element>.create { observer in
                let target = UncheckedTransfer(observer)
                return subscribe { target.value.on($0.event) }
            })
    }

    /// A stream of one element, which it sends at subscription, then completion.
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// A stream of one element, which it sends on the scheduler, then completion.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<
        Element
    > {
        Infallible(.just(element, scheduler: scheduler))
    }

    /// A stream that completes at subscription.
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// A stream that never sends an event.
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// A cold stream that calls the factory at each subscription and forwards its stream.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(.deferred { observableFactory().asObservable() })
    }

    /// A cold stream of the given elements, then completion. Each element is scheduled separately.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// A cold stream of the elements of the array, then completion. Each element is scheduled separately.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// A cold stream of the elements of the sequence, which each subscription iterates again.
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }

    /// A stream of the element if it is not nil, then completion.
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(.from(optional: optional))
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// A cold stream of `count` consecutive integers from `start` on, then completion.
    ///
    /// A negative count, or a range beyond the largest integer of the type, traps.
    public static func range(
        start: Element, count: Element,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.range(start: start, count: count, scheduler: scheduler))
    }

    /// A cold stream of 0, 1, 2 …, one number a period, the first after one period. It never ends.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(.interval(period, scheduler: scheduler))
    }

    /// A cold stream of 0 after `dueTime`, then 1, 2 … one a period. Without a period it completes after 0.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(.timer(dueTime, period: period, scheduler: scheduler))
    }
}
