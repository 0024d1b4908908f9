extension InfallibleType {
    /// The closure that takes the events of a stream that is made by `create`.
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A cold stream made by a closure that is run for each subscription and may tell events from any thread.
    ///
    /// What comes after the end is ignored. What the closure returns is disposed of at the end or on disposal.
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

    /// A stream of one element, sent at subscription.
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// A stream of one element, sent on the scheduler.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<
        Element
    > {
        Infallible(.just(element, scheduler: scheduler))
    }

    /// A stream that completes at subscription.
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// A stream that never says anything.
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// A stream that is made by the factory at each subscription.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(.deferred { observableFactory().asObservable() })
    }

    /// A stream of these elements, each a turn of the scheduler.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// A stream of the elements of the array, each a turn of the scheduler.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// A stream of the elements of the sequence, which is walked anew for each subscription.
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }

    /// A stream of the element if there is one.
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(.from(optional: optional))
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// A stream of `count` whole numbers from `start` on. A negative count, or one past the largest number, traps.
    public static func range(
        start: Element, count: Element,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.range(start: start, count: count, scheduler: scheduler))
    }

    /// A stream of 0, 1, 2 … with one number a period, the first after one period. It never ends.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(.interval(period, scheduler: scheduler))
    }

    /// A stream of 0 after `dueTime`; with a period 1, 2 … follow without an end, without one it completes after 0.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(.timer(dueTime, period: period, scheduler: scheduler))
    }
}
