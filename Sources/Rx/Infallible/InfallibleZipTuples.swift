extension InfallibleType where Element == Any {
    /// The first elements of the two as a tuple, then their second ones, and so on.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType
    >(
        _ source1: I1, _ source2: I2
    ) -> Infallible<(I1.Element, I2.Element)> {
        Infallible<(I1.Element, I2.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable()))
    }

    /// The first elements of the three as a tuple, then their second ones, and so on.
    public static func zip<
        I1: InfallibleType, I2: InfallibleType, I3: InfallibleType
    >(
        _ source1: I1, _ source2: I2, _ source3: I3
    ) -> Infallible<(I1.Element, I2.Element, I3.Element)> {
        Infallible<(I1.Element, I2.Element, I3.Element)>(
            Observable.zip(
                source1.asObservable(), source2.asObservable(), source3.asObservable()))
    }

    /// The first elements of the four as a tuple, then their second ones, and so on.
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

    /// The first elements of the five as a tuple, then their second ones, and so on.
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

    /// The first elements of the six as a tuple, then their second ones, and so on.
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

    /// The first elements of the seven as a tuple, then their second ones, and so on.
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

    /// The first elements of the eight as a tuple, then their second ones, and so on.
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
