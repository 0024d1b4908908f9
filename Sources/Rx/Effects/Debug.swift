import FoundationEssentials
import Synchronization

extension ObservableType {
    /// The stream itself, with each event, the subscription and the disposal printed to standard output:
    /// `2025-01-31 12:00:00.000: identifier -> Event next(1)`.
    ///
    /// Without an identifier the location of the call is printed. `trimOutput` shortens an event of more than 40 characters
    /// to its first and last 20. The time is that of the zone that FoundationEssentials knows, which is UTC in a program
    /// without the full Foundation.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Observable<Element> {
        let location = "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
        return Observable(Debug(asObservable().source, DebugLog(identifier ?? location, trims: trimOutput)))
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

private final class Debug<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let log: DebugLog

    init(_ upstream: Source<Element>, _ log: DebugLog) {
        self.upstream = upstream
        self.log = log
    }

    override func run(_ sink: Sink<Element>) { upstream.run(DebugSink(log, into: sink)) }
}

private final class DebugSink<Element>: SingleInputSink<Element, Element> {
    private let log: DebugLog
    private let saidDisposed = Atomic<Bool>(false)

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

    // Said before the upstream is given up, so that of two in a chain the lower one says it first.
    override func dispose() {
        if !saidDisposed.exchange(true, ordering: .acquiringAndReleasing) { log.write("isDisposed") }
        super.dispose()
    }
}
