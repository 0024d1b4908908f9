extension ObservableType {
    /// Combines the first elements of two streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType
    >(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        combine(.pairwise, source1.asObservable(), source2.asObservable(), resultSelector)
    }

    /// Combines the first elements of three streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        combine(.pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), resultSelector)
    }

    /// Combines the first elements of four streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            resultSelector)
    }

    /// Combines the first elements of five streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element) throws -> Element
    ) -> Observable<Element> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), resultSelector)
    }

    /// Combines the first elements of six streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element) throws ->
            Element
    ) -> Observable<Element> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), resultSelector)
    }

    /// Combines the first elements of seven streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)
            throws -> Element
    ) -> Observable<Element> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), resultSelector)
    }

    /// Combines the first elements of eight streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream or of the
    /// selector. Elements that wait for a slower stream are stored without a limit.
    @preconcurrency
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element
            ) throws -> Element
    ) -> Observable<Element> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), source8.asObservable(),
            resultSelector)
    }
}

extension ObservableType where Element == Any {
    /// Emits the first elements of two streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType
    >(
        _ source1: O1, _ source2: O2
    ) -> Observable<(O1.Element, O2.Element)> {
        combine(.pairwise, source1.asObservable(), source2.asObservable()) { ($0, $1) }
    }

    /// Emits the first elements of three streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        combine(.pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable()) { ($0, $1, $2) }
    }

    /// Emits the first elements of four streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable()
        ) { ($0, $1, $2, $3) }
    }

    /// Emits the first elements of five streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable()
        ) { ($0, $1, $2, $3, $4) }
    }

    /// Emits the first elements of six streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable()
        ) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Emits the first elements of seven streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable()
        ) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Emits the first elements of eight streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed, and fails with the first error of a stream. Elements that
    /// wait for a slower stream are stored without a limit.
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)> {
        combine(
            .pairwise, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), source8.asObservable()
        ) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

extension ObservableType {
    /// Combines the first elements of all streams, then their second elements, and so on.
    ///
    /// For an empty collection, the result completes at subscription. The result also completes at an element that can
    /// no longer be combined because all other streams have completed; `zip` of two to eight streams does not.
    @preconcurrency
    public static func zip<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        combine(.pairwiseWhilePossible, collection.map { $0.asObservable() }, resultSelector)
    }

    /// Emits the first elements of all streams as an array, then their second elements, and so on.
    ///
    /// For an empty collection, the result completes at subscription. The result also completes at an element that can
    /// no longer be combined because all other streams have completed; `zip` of two to eight streams does not.
    public static func zip<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        combine(.pairwiseWhilePossible, collection.map { $0.asObservable() }) { $0 }
    }
}
