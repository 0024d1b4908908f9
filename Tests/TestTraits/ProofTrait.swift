public import Testing

/// The promises and quirks that a test proves.
///
/// The trait does not change how the test runs. `scripts/promises` reads the traits from the source, and compares them
/// with the tests that passed.
public struct ProofTrait: TestTrait {
    public let proofs: [Proof]
}

extension Trait where Self == ProofTrait {
    /// The test fails if the library breaks one of these promises or does not handle one of these quirks.
    ///
    /// CONTRIBUTING.md has an example.
    public static func proves(_ proofs: Proof...) -> ProofTrait { ProofTrait(proofs: proofs) }
}
