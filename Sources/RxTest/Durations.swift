public import Rx

extension ObservableConvertibleType {
    /// As `toBlocking(timeout:)` with seconds, with a `Duration`. A negative duration counts as zero.
    public func toBlocking(timeout: Duration) -> BlockingObservable<Element> {
        toBlocking(timeout: timeout.inSeconds)
    }
}

extension TestScheduler {
    /// As `init(initialClock:resolution:simulateProcessingDelay:)`, with the length of a tick as a `Duration`.
    public convenience init(initialClock: TestTime, resolution: Duration, simulateProcessingDelay: Bool = true) {
        self.init(
            initialClock: initialClock, resolution: resolution.inSeconds,
            simulateProcessingDelay: simulateProcessingDelay)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
