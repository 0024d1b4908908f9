extension ObservableType {
    /// The latest elements of both streams joined, at each element of either once both gave one.
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        Observable(CombineLatest2(source1.asObservable().source, source2.asObservable().source, resultSelector))
    }

    /// The latest elements of the three streams joined, at each element of any once all gave one.
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        Observable(
            CombineLatest3(
                source1.asObservable().source, source2.asObservable().source, source3.asObservable().source,
                resultSelector))
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of both streams as a pair.
    public static func combineLatest<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2
    ) -> Observable<(O1.Element, O2.Element)> {
        Observable<(O1.Element, O2.Element)>(
            CombineLatest2(source1.asObservable().source, source2.asObservable().source) { ($0, $1) })
    }

    /// The latest elements of the three streams as a triple.
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element)>(
            CombineLatest3(
                source1.asObservable().source, source2.asObservable().source, source3.asObservable().source
            ) { ($0, $1, $2) })
    }
}

private final class CombineLatest2<A, B, Result>: Source<Result> {
    private let a: Source<A>
    private let b: Source<B>
    private let selector: @Sendable (A, B) throws -> Result

    init(_ a: Source<A>, _ b: Source<B>, _ selector: @escaping @Sendable (A, B) throws -> Result) {
        self.a = a
        self.b = b
        self.selector = selector
    }

    override func run(_ sink: Sink<Result>) {
        let hub = Hub2(selector, into: sink)
        hub.listen(to: a, as: 0) { hub.a = $0 }
        hub.listen(to: b, as: 1) { hub.b = $0 }
    }

    private final class Hub2: CombineHub<Result> {
        var a: A?
        var b: B?
        private let selector: @Sendable (A, B) throws -> Result

        init(_ selector: @escaping @Sendable (A, B) throws -> Result, into downstream: Sink<Result>) {
            self.selector = selector
            super.init(arity: 2, into: downstream)
        }

        override func join() throws -> Result? {
            guard let a, let b else { return nil }
            return try selector(a, b)
        }
    }
}

private final class CombineLatest3<A, B, C, Result>: Source<Result> {
    private let a: Source<A>
    private let b: Source<B>
    private let c: Source<C>
    private let selector: @Sendable (A, B, C) throws -> Result

    init(
        _ a: Source<A>, _ b: Source<B>, _ c: Source<C>, _ selector: @escaping @Sendable (A, B, C) throws -> Result
    ) {
        self.a = a
        self.b = b
        self.c = c
        self.selector = selector
    }

    override func run(_ sink: Sink<Result>) {
        let hub = Hub3(selector, into: sink)
        hub.listen(to: a, as: 0) { hub.a = $0 }
        hub.listen(to: b, as: 1) { hub.b = $0 }
        hub.listen(to: c, as: 2) { hub.c = $0 }
    }

    private final class Hub3: CombineHub<Result> {
        var a: A?
        var b: B?
        var c: C?
        private let selector: @Sendable (A, B, C) throws -> Result

        init(_ selector: @escaping @Sendable (A, B, C) throws -> Result, into downstream: Sink<Result>) {
            self.selector = selector
            super.init(arity: 3, into: downstream)
        }

        override func join() throws -> Result? {
            guard let a, let b, let c else { return nil }
            return try selector(a, b, c)
        }
    }
}
