import FoundationEssentials
import Synchronization

extension ObservableType {
    /// Prints the subscription, the events and the disposal of the stream to standard output.
    ///
    /// A line looks like `2025-01-31 12:00:00.000: identifier -> Event next(1)`. The default identifier is the place of
    /// the call. `trimOutput` shortens an event of more than 40 characters to its first and last 20. The time zone is
    /// that of FoundationEssentials: UTC in a program without the full Foundation.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Observable<Element> {
        let location = "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
        let log = DebugLog(identifier ?? location, trims: trimOutput)
        return lift { DebugSink(log, into: $0) }
    }
}

private struct DebugLog: Sendable {
    private static let time = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        .year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: true).timeSeparator(.colon)

    private let name: String
    private let trims: Bool

    init(_ name: String, trims: Bool) {
        self.name = name
        self.trims = trims
    }

    func write(_ text: String) { print("\(Date().formatted(Self.time)): \(name) -> \(text)") }

    func write<Element>(_ event: Event<Element>) {
        let text = "\(event)"
        write("Event \(trims && text.count > 40 ? "\(text.prefix(20))...\(text.suffix(20))" : text)")
    }
}

private final class DebugSink<Element>: SingleInputSink<Element, Element> {
    private let log: DebugLog
    private let printedDisposal = Atomic<Bool>(false)

    init(_ log: DebugLog, into downstream: Sink<Element>) {
        self.log = log
        super.init(into: downstream)
        log.write("subscribed")
    }

    override func next(_ value: Element) {
        guard isLive else { return }
        log.write(.next(value))
        forward(value)
    }

    override func error(_ error: any Error) {
        guard isLive else { return }
        log.write(Event<Element>.error(error))
        fail(error)
    }

    override func completed() {
        guard isLive else { return }
        log.write(Event<Element>.completed)
        finish()
    }

    // Prints before the upstream is disposed of. So of two `debug` operators in a chain, the downstream operator prints
    // first.
    override func dispose() {
        if !printedDisposal.exchange(true, ordering: .acquiringAndReleasing) { log.write("isDisposed") }
        super.dispose()
    }
}
