extension InfallibleType {
    /// Combines the first elements of two streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType
    >(
        _ source1: I1, _ source2: I2,
        resultSelector: @escaping @Sendable (I1.Element, I2.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of three streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3,
        resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of four streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4,
        resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of five streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5,
        resultSelector:
            @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of six streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
        resultSelector:
            @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element)
            -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of seven streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType, I7: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
        _ source7: I7,
        resultSelector:
            @escaping @Sendable (
                I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element
            ) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable(),
                source7.asObservable(),
                resultSelector: resultSelector))
    }

    /// Combines the first elements of eight streams, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    @preconcurrency
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType, I7: InfallibleType, I8: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
        _ source7: I7, _ source8: I8,
        resultSelector:
            @escaping @Sendable (
                I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element,
                I8.Element
            ) -> Element
    ) -> Infallible<Element> {
        Infallible(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable(),
                source7.asObservable(), source8.asObservable(),
                resultSelector: resultSelector))
    }
}

extension InfallibleType where Element == Any {
    /// Emits the first elements of two streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType
    >(
        _ source1: I1, _ source2: I2
    ) -> Infallible<(I1.Element, I2.Element)> {
        Infallible<(I1.Element, I2.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable()))
    }

    /// Emits the first elements of three streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3
    ) -> Infallible<(I1.Element, I2.Element, I3.Element)> {
        Infallible<(I1.Element, I2.Element, I3.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable()))
    }

    /// Emits the first elements of four streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4
    ) -> Infallible<(I1.Element, I2.Element, I3.Element, I4.Element)> {
        Infallible<(I1.Element, I2.Element, I3.Element, I4.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable()))
    }

    /// Emits the first elements of five streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5
    ) -> Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element)> {
        Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable()))
    }

    /// Emits the first elements of six streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6
    ) -> Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element)> {
        Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable()))
    }

    /// Emits the first elements of seven streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType, I7: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
        _ source7: I7
    ) -> Infallible<
        (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element)
    > {
        Infallible<
            (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element)
        >(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable(),
                source7.asObservable()))
    }

    /// Emits the first elements of eight streams as a tuple, then their second elements, and so on.
    ///
    /// The result completes when all streams have completed. Elements that wait for a slower stream are stored without
    /// a limit.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType,
        I5: InfallibleType, I6: InfallibleType, I7: InfallibleType, I8: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
        _ source7: I7, _ source8: I8
    ) -> Infallible<
        (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element, I8.Element)
    > {
        Infallible<
            (
                I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element,
                I8.Element
            )
        >(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable(),
                source4.asObservable(), source5.asObservable(), source6.asObservable(),
                source7.asObservable(), source8.asObservable()))
    }
}

extension InfallibleType {
    /// Combines the first elements of all streams, then their second elements, and so on.
    ///
    /// For an empty collection, the result completes at subscription. The result also completes at an element that can
    /// no longer be combined because all other streams have completed.
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Emits the first elements of all streams as an array, then their second elements, and so on.
    ///
    /// For an empty collection, the result completes at subscription. The result also completes at an element that can
    /// no longer be combined because all other streams have completed.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(Observable.zip(collection.map { $0.asObservable() }))
    }
}
