import DBus

/// Tells a characteristic's notifications from the echoes of our own reads (Q95).
///
/// bluetoothd shows what it has read as a change of value, just like a notification, right before the read's own reply. So what
/// comes while a read is under way waits for that reply, and one value that equals it is left out. It waits for a moment only: a
/// peripheral that does not answer a read must not silence its notifications, nor have them pile up.
final class ReadEchoes {
    private let bus: BusContext
    private let settings: Settings
    private let deliver: ([UInt8]) -> Void
    private var held: [(value: [UInt8], since: MonotonicTime)] = []
    private var reads = 0
    private var release: BusTask?

    /// How long a value waits. bluetoothd sends an echo and its reply in one turn of its loop, so this is plenty.
    static let maximumHold = Duration.milliseconds(250)
    /// How many values wait; more cannot come between an echo and its reply.
    static let capacity = 64

    init(on bus: BusContext, _ settings: Settings, deliver: @escaping ([UInt8]) -> Void) {
        self.bus = bus
        self.settings = settings
        self.deliver = deliver
    }

    deinit { release?.cancel() }

    /// A value came by a signal.
    func received(_ value: [UInt8]) {
        guard reads > 0 else { return deliver(value) }
        held.append((value, settings.now))
        if held.count > Self.capacity { deliver(held.removeFirst().value) }
        if release == nil { wait(Self.maximumHold) }
    }

    /// A read of ours begins.
    func readBegan() { reads += 1 }

    /// A read of ours has ended, with a value or without.
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

    /// What has waited for long enough is no echo.
    private func releaseExpired() {
        release = nil
        let over = held.prefix { settings.elapsed(since: $0.since) >= Self.maximumHold }
        held.removeFirst(over.count)
        if let first = held.first { wait(Self.maximumHold - settings.elapsed(since: first.since)) }
        for (value, _) in over { deliver(value) }
    }
}
