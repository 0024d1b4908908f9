public import Testing

/// The features that a test shows.
///
/// The trait does not change how the test runs. `scripts/features` reads the traits from the source.
public struct FeatureTrait: TestTrait {
    public let features: [Feature]
}

extension Trait where Self == FeatureTrait {
    /// The test shows that the library has these features, for the table in docs/features.md.
    ///
    /// The trait follows ``proves(_:)`` if the test has both.
    public static func covers(_ features: Feature...) -> FeatureTrait { FeatureTrait(features: features) }
}
