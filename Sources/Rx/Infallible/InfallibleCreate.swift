extension InfallibleType {
    /// The closure to which the closure of `create` sends its events.
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// Creates a cold stream from a closure that runs for each subscription and sends the events.
    ///
    /// The closure may send events from any thread; events after the end are ignored. The disposable that the closure
    /// returns is disposed of at the end of the stream or when the subscription is disposed of.
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

    /// Creates a stream that sends the element at subscription, then completes.
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// Creates a stream that sends the element on the scheduler, then completes.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<
        Element
    > {
        Infallible(.just(element, scheduler: scheduler))
    }

    /// Creates a stream that completes at subscription.
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// Creates a stream that never sends an event.
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// Creates a cold stream that calls the factory at each subscription and forwards the returned stream.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(.deferred { observableFactory().asObservable() })
    }

    /// Creates a cold stream that sends the given elements, then completes.
    ///
    /// Each element is scheduled separately.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// Creates a cold stream that sends the elements of the array, then completes.
    ///
    /// Each element is scheduled separately.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// Creates a cold stream of the elements of the sequence. Each subscription iterates it again.
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }

    /// Creates a stream that sends the element unless it is nil, then completes.
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(.from(optional: optional))
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// Creates a cold stream that sends `count` consecutive integers from `start` on, then completes.
    ///
    /// A negative count, or a range beyond the largest integer of the type, traps.
    public static func range(
        start: Element, count: Element,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.range(start: start, count: count, scheduler: scheduler))
    }

    /// Creates a cold stream that sends 0, 1, 2 …, one number after each period. It never ends.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(.interval(period, scheduler: scheduler))
    }

    /// Creates a cold stream that sends 0 after `dueTime`, then 1, 2 …, one number after each period.
    ///
    /// Without a period, the stream completes after 0.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(.timer(dueTime, period: period, scheduler: scheduler))
    }
}
