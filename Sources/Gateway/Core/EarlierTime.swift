extension Optional<Duration> {
    /// Returns the earlier one of two times, of which each may be missing.
    func earlier(_ other: Duration?) -> Duration? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}
