extension ObservableType {
    /// The latest elements of all streams joined. An empty collection gives the result of `[]` and completes.
    @preconcurrency
    public static func combineLatest<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        combine(.latest, collection.map { $0.asObservable() }, resultSelector)
    }

    /// The latest elements of all streams. An empty collection gives `[]` and completes at subscription.
    public static func combineLatest<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        combine(.latest, collection.map { $0.asObservable() }) { $0 }
    }

    /// The first elements of all streams joined, then the second ones, and so on. An empty collection completes.
    ///
    /// Unlike `zip` of two to eight streams it also completes at an element that finds no partner any more.
    @preconcurrency
    public static func zip<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        combine(.pairwiseWhilePossible, collection.map { $0.asObservable() }, resultSelector)
    }

    /// The first elements of all streams, then the second ones, and so on. An empty collection completes.
    ///
    /// Unlike `zip` of two to eight streams it also completes at an element that finds no partner any more.
    public static func zip<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        combine(.pairwiseWhilePossible, collection.map { $0.asObservable() }) { $0 }
    }
}
