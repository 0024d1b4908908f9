import DBus

/// Distinguishes the notifications of a characteristic from the echoes of our own reads (Q95).
///
/// bluetoothd signals each value that it reads as if it were a notification, right before the reply to the read. While
/// a read is in progress, values therefore wait for the reply, and a value that equals the reply is dropped. The wait
/// is short, because a read without a reply must not hold back notifications.
final class ReadEchoes {
    private let bus: BusContext
    private let settings: Settings
    private let deliver: ([UInt8]) -> Void
    private var held: [(value: [UInt8], since: MonotonicTime)] = []
    private var reads = 0
    private var release: BusTask?

    /// The longest time that a value waits. bluetoothd sends an echo and its reply in one turn of its loop.
    static let maximumHold = Duration.milliseconds(250)
    /// The maximum number of waiting values. Fewer values arrive between an echo and its reply.
    static let capacity = 64

    init(on bus: BusContext, _ settings: Settings, deliver: @escaping ([UInt8]) -> Void) {
        self.bus = bus
        self.settings = settings
        self.deliver = deliver
    }

    deinit { release?.cancel() }

    /// Handles a value from a signal.
    func received(_ value: [UInt8]) {
        guard reads > 0 else { return deliver(value) }
        held.append((value, settings.now))
        if held.count > Self.capacity { deliver(held.removeFirst().value) }
        if release == nil { wait(Self.maximumHold) }
    }

    /// Records that a read has begun.
    func readBegan() { reads += 1 }

    /// Records that a read has ended; the value is nil if it failed.
    func readEnded(_ value: [UInt8]?) {
        reads -= 1
        if let value, let echo = held.lastIndex(where: { $0.value == value }) { held.remove(at: echo) }
        guard reads == 0 else { return }
        release?.cancel()
        release = nil
        let values = held
        held = []
        for (value, _) in values { deliver(value) }
    }

    private func wait(_ time: Duration) {
        release = bus.schedule(after: time) { [weak self] in self?.releaseExpired() }
    }

    /// Delivers the values that have waited long enough: they are not echoes.
    private func releaseExpired() {
        release = nil
        let over = held.prefix { settings.elapsed(since: $0.since) >= Self.maximumHold }
        held.removeFirst(over.count)
        if let first = held.first { wait(Self.maximumHold - settings.elapsed(since: first.since)) }
        for (value, _) in over { deliver(value) }
    }
}
