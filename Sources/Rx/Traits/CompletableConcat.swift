extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// This one, and after it completed the second one.
    public func concat(_ second: Completable) -> Completable { andThen(second) }

    /// One after the other. The sequence is walked as far as they complete, anew for each subscription.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: Observable<Never>.concat(sequence.lazy.map(\.stream)))
    }

    /// One after the other.
    public static func concat<Sources: Collection>(_ collection: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: Observable<Never>.concat(collection.map(\.stream)))
    }

    /// One after the other.
    public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

    /// All of them at once: completes when all did, at once for none, and fails with the first that fails.
    public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

    /// All of them at once: completes when all did, at once for none, and fails with the first that fails.
    public static func zip(_ sources: [Completable]) -> Completable {
        Completable(raw: Observable<Never>.merge(sources.map(\.stream)))
    }

    /// All of them at once: completes when all did, at once for none, and fails with the first that fails.
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        zip(Array(sources))
    }
}
