extension PrimitiveSequenceType where Trait: ValueTrait {
    /// Combines the elements of two sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        resultSelector: @escaping @Sendable (E1, E2) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(source1.stream, source2.stream, resultSelector: resultSelector))
    }

    /// Combines the elements of three sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>,
        resultSelector: @escaping @Sendable (E1, E2, E3) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(source1.stream, source2.stream, source3.stream, resultSelector: resultSelector))
    }

    /// Combines the elements of four sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3, E4>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        resultSelector: @escaping @Sendable (E1, E2, E3, E4) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(
                source1.stream, source2.stream, source3.stream, source4.stream,
                resultSelector: resultSelector))
    }

    /// Combines the elements of five sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3, E4, E5>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>,
        resultSelector: @escaping @Sendable (E1, E2, E3, E4, E5) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                resultSelector: resultSelector))
    }

    /// Combines the elements of six sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3, E4, E5, E6>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>,
        resultSelector: @escaping @Sendable (E1, E2, E3, E4, E5, E6) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream, resultSelector: resultSelector))
    }

    /// Combines the elements of seven sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3, E4, E5, E6, E7>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>,
        _ source7: PrimitiveSequence<Trait, E7>,
        resultSelector: @escaping @Sendable (E1, E2, E3, E4, E5, E6, E7) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream, source7.stream, resultSelector: resultSelector))
    }

    /// Combines the elements of eight sequences.
    ///
    /// The result fails with the first error of a sequence or of the selector. If a sequence of a `Maybe` is empty, the
    /// result completes without an element after all sequences have completed.
    @preconcurrency
    public static func zip<E1, E2, E3, E4, E5, E6, E7, E8>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>,
        _ source7: PrimitiveSequence<Trait, E7>, _ source8: PrimitiveSequence<Trait, E8>,
        resultSelector: @escaping @Sendable (E1, E2, E3, E4, E5, E6, E7, E8) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream, source7.stream, source8.stream, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Combines the elements of all `Single`s, in the order of the collection.
    ///
    /// For an empty collection the selector is called with an empty array.
    @preconcurrency
    public static func zip<Sources: Collection, Result>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Sources.Element == Single<Element> {
        Single<Result>(
            raw: collection.isEmpty
                ? Observable.just([]).map(resultSelector)
                : Observable.zip(collection.map(\.stream), resultSelector: resultSelector))
    }

    /// Emits the elements of all `Single`s as an array, in the order of the collection.
    ///
    /// For an empty collection, the result sends an empty array.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
    where Sources.Element == Single<Element> {
        zip(collection) { $0 }
    }
}

extension PrimitiveSequenceType where Trait: ValueTrait, Element == Any {
    /// Emits the elements of two sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>
    ) -> PrimitiveSequence<Trait, (E1, E2)> {
        PrimitiveSequence<Trait, (E1, E2)>(
            raw: Observable.zip(source1.stream, source2.stream))
    }

    /// Emits the elements of three sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3)> {
        PrimitiveSequence<Trait, (E1, E2, E3)>(
            raw: Observable.zip(source1.stream, source2.stream, source3.stream))
    }

    /// Emits the elements of four sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3, E4>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3, E4)> {
        PrimitiveSequence<Trait, (E1, E2, E3, E4)>(
            raw: Observable.zip(source1.stream, source2.stream, source3.stream, source4.stream))
    }

    /// Emits the elements of five sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3, E4, E5>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3, E4, E5)> {
        PrimitiveSequence<Trait, (E1, E2, E3, E4, E5)>(
            raw: Observable.zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream))
    }

    /// Emits the elements of six sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3, E4, E5, E6>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6)> {
        PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6)>(
            raw: Observable.zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream))
    }

    /// Emits the elements of seven sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3, E4, E5, E6, E7>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>,
        _ source7: PrimitiveSequence<Trait, E7>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6, E7)> {
        PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6, E7)>(
            raw: Observable.zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream, source7.stream))
    }

    /// Emits the elements of eight sequences as a tuple.
    ///
    /// The result fails with the first error of a sequence. If a sequence of a `Maybe` is empty, the result completes
    /// without an element after all sequences have completed.
    public static func zip<E1, E2, E3, E4, E5, E6, E7, E8>(
        _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
        _ source3: PrimitiveSequence<Trait, E3>, _ source4: PrimitiveSequence<Trait, E4>,
        _ source5: PrimitiveSequence<Trait, E5>, _ source6: PrimitiveSequence<Trait, E6>,
        _ source7: PrimitiveSequence<Trait, E7>, _ source8: PrimitiveSequence<Trait, E8>
    ) -> PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6, E7, E8)> {
        PrimitiveSequence<Trait, (E1, E2, E3, E4, E5, E6, E7, E8)>(
            raw: Observable.zip(
                source1.stream, source2.stream, source3.stream, source4.stream, source5.stream,
                source6.stream, source7.stream, source8.stream))
    }
}
