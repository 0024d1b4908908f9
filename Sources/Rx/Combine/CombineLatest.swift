extension ObservableType {
    /// Combines the latest elements of two streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType
    >(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        combine(.latest, source1.asObservable(), source2.asObservable(), resultSelector)
    }

    /// Combines the latest elements of three streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        combine(.latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), resultSelector)
    }

    /// Combines the latest elements of four streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            resultSelector)
    }

    /// Combines the latest elements of five streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element) throws -> Element
    ) -> Observable<Element> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), resultSelector)
    }

    /// Combines the latest elements of six streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element) throws ->
            Element
    ) -> Observable<Element> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), resultSelector)
    }

    /// Combines the latest elements of seven streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)
            throws -> Element
    ) -> Observable<Element> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), resultSelector)
    }

    /// Combines the latest elements of eight streams whenever one of them sends an element.
    ///
    /// The first result is sent when every stream has sent an element. The result stream completes when all streams
    /// have completed, or when no further result is possible. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public static func combineLatest<
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
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), source8.asObservable(),
            resultSelector)
    }
}

extension ObservableType where Element == Any {
    /// Emits the latest elements of two streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType
    >(
        _ source1: O1, _ source2: O2
    ) -> Observable<(O1.Element, O2.Element)> {
        combine(.latest, source1.asObservable(), source2.asObservable()) { ($0, $1) }
    }

    /// Emits the latest elements of three streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        combine(.latest, source1.asObservable(), source2.asObservable(), source3.asObservable()) { ($0, $1, $2) }
    }

    /// Emits the latest elements of four streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
        combine(.latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable())
        { ($0, $1, $2, $3) }
    }

    /// Emits the latest elements of five streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable()
        ) { ($0, $1, $2, $3, $4) }
    }

    /// Emits the latest elements of six streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable()
        ) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Emits the latest elements of seven streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable()
        ) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Emits the latest elements of eight streams as a tuple whenever one of them sends an element.
    ///
    /// The first tuple is sent when every stream has sent an element. The result stream completes when all streams have
    /// completed, or when no further tuple is possible. It fails with the first error of a stream.
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)> {
        combine(
            .latest, source1.asObservable(), source2.asObservable(), source3.asObservable(), source4.asObservable(),
            source5.asObservable(), source6.asObservable(), source7.asObservable(), source8.asObservable()
        ) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

extension ObservableType {
    /// Combines the latest elements of all streams whenever one of them sends an element.
    ///
    /// For an empty collection, the result sends what the selector returns for `[]` and completes.
    @preconcurrency
    public static func combineLatest<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        combine(.latest, collection.map { $0.asObservable() }, resultSelector)
    }

    /// Emits the latest elements of all streams as an array whenever one of them sends an element.
    ///
    /// For an empty collection, the result sends `[]` and completes.
    public static func combineLatest<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        combine(.latest, collection.map { $0.asObservable() }) { $0 }
    }
}
