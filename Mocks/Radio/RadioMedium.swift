import DBus
import Synchronization

/// The simulated radio: all peripherals, and when each sends its next advertisement.
///
/// Time advances only while an adapter listens, so a simulation without a scan does nothing.
/// All advertisements of one millisecond are sent in one turn of the daemon's loop.
final class RadioMedium {
    private(set) var deviceStates: [SimulatedDeviceState] = []
    let sent = AdvertisementCounters()
    private let seed: UInt64
    private let loss: UInt64
    private var byAddress: [DeviceAddress: SimulatedDeviceState] = [:]
    /// The next packet of each peripheral, by the index of the peripheral.
    ///
    /// If several packets are due at the same time, the lowest index is sent first.
    private var nextPackets: [IndexedDeadline] = []
    private var queue = TimerHeap()
    private var listeners: [DaemonAdapter] = []
    /// The controllers that report nothing, by the numbers of their adapters, until they get a remedy.
    private var silentControllers: [Int: ControllerRemedy] = [:]
    /// Milliseconds since listening began.
    private var now = 0
    /// Milliseconds of listening before ``now`` began. Sensors count both.
    private var earlier = 0
    private var timer: BusTask?
    private var timerDue = Int.max
    /// The real clock; nil if the bus's timers are exact, as in virtual time.
    var clock: (@Sendable () -> Duration)?
    private var start = Duration.zero

    init(_ scenario: Scenario) {
        seed = scenario.seed
        loss = UInt64(max(0, min(100, scenario.packetLoss)))
        for peripheral in scenario.peripherals { add(peripheral) }
    }

    func add(_ peripheral: SimulatedPeripheral) {
        let deviceState = SimulatedDeviceState(peripheral, seed: seed &* 0x0100_0193 &+ UInt64(deviceStates.count))
        precondition(
            byAddress[deviceState.address] == nil, "Two peripherals have the address \(deviceState.address.text).")
        byAddress[deviceState.address] = deviceState
        deviceStates.append(deviceState)
        nextPackets.append(IndexedDeadline(nextPackets.count))
        if let loop = listeners.first?.loop {
            enqueue(deviceStates.count - 1, at: now + firstDelay(deviceStates.count - 1))
            schedule(loop)
        }
    }

    func deviceState(_ address: DeviceAddress) -> SimulatedDeviceState? { byAddress[address] }

    /// Returns a peripheral by its present address or by the address in its description.
    func deviceState(_ address: String) -> SimulatedDeviceState? {
        let address = address.uppercased()
        return deviceStates.first { $0.address.text == address }
            ?? deviceStates.first { $0.description.address == address }
    }

    func described(_ address: String) -> SimulatedDeviceState {
        guard let deviceState = deviceState(address) else {
            preconditionFailure("No peripheral has the address \(address).")
        }
        return deviceState
    }

    /// Changes the address of a peripheral (Q62).
    func rotate(_ deviceState: SimulatedDeviceState, to address: DeviceAddress) {
        guard byAddress[address] !== deviceState else { return }
        precondition(byAddress[address] == nil, "Two peripherals have the address \(address.text).")
        byAddress[deviceState.address] = nil
        byAddress[address] = deviceState
        deviceState.address = address
    }

    /// Starts to deliver advertisements to an adapter.
    ///
    /// If no other adapter listens, each peripheral sends its first advertisement a short time later.
    func startListening(_ adapter: DaemonAdapter) {
        guard !listeners.contains(where: { $0 === adapter }) else { return }
        listeners.append(adapter)
        guard listeners.count == 1 else { return }
        earlier += now
        now = 0
        start = clock?() ?? .zero
        queue = TimerHeap()
        for index in deviceStates.indices { enqueue(index, at: firstDelay(index)) }
        schedule(adapter.loop)
    }

    func stopListening(_ adapter: DaemonAdapter) {
        listeners.removeAll { $0 === adapter }
        if listeners.isEmpty { stopTimer() }
    }

    /// Stops the delivery of advertisements to all adapters.
    func stopListening() {
        for adapter in listeners { stopListening(adapter) }
    }

    func silence(_ adapter: Int, until remedy: ControllerRemedy) {
        silentControllers[adapter] = max(remedy, silentControllers[adapter] ?? remedy)
    }

    func remedy(_ remedy: ControllerRemedy, for adapter: Int) {
        if let needed = silentControllers[adapter], needed <= remedy { silentControllers[adapter] = nil }
    }

    /// Schedules the next packet of a peripheral again, because its advertisement changed.
    func advertisementChanged(_ deviceState: SimulatedDeviceState) {
        guard let loop = listeners.first?.loop, let index = deviceStates.firstIndex(where: { $0 === deviceState })
        else {
            return
        }
        queue.remove(nextPackets[index])
        enqueue(index, at: now + firstDelay(index))
        schedule(loop)
    }

    private func firstDelay(_ index: Int) -> Int {
        let deviceState = deviceStates[index]
        guard let advertisement = deviceState.advertisement else { return 1000 }
        if let delay = advertisement.firstAfter { return Self.milliseconds(delay) }
        let span = min(Self.milliseconds(advertisement.interval), 180)
        // The first packets are spread over up to 16 slots, each packet at a random time within its slot.
        let slots = min(deviceStates.count, 16)
        return span * (index % slots) / slots + Int(deviceState.generator.next() % UInt64(span / slots + 1))
    }

    /// Sets the timer for the next packet, unless the timer already fires by then.
    private func schedule(_ loop: DaemonLoop) {
        guard let due = queue.earliest.map({ Int($0) }), due < timerDue else { return }
        timer?.cancel()
        timerDue = due
        timer = loop.after(.milliseconds(max(0, due - now))) { [weak self] in self?.send(until: due) }
    }

    private func enqueue(_ index: Int, at due: Int) {
        queue.insert(nextPackets[index], due: UInt64(due), order: UInt64(index))
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
        timerDue = .max
    }

    private func send(until due: Int) {
        now = due
        // Real timers fire late. All packets that are due by now are sent, to keep to the interval. The limit is
        // 256 packets at a time, because calls of clients also wait for the daemon's loop.
        var budget = Int.max
        if let clock {
            now = max(due, Self.wholeMilliseconds(clock() - start))
            budget = 256
        }
        timerDue = .max
        while budget > 0, let next = queue.popDue(at: UInt64(now)) as? IndexedDeadline {
            let due = Int(next.due)
            budget -= 1
            let deviceState = deviceStates[next.index]
            deviceState.takeSample(at: .milliseconds(earlier + due))
            send(deviceState)
            let interval = Self.milliseconds(deviceState.advertisement?.interval ?? .seconds(1))
            // If this packet was due more than a second ago, the packets after it are skipped and counted as missed.
            let isTooLate = now - due > 1000
            if isTooLate, deviceState.isOnAir { sent.miss((now - due) / interval) }
            enqueue(next.index, at: (isTooLate ? now : due) + interval)
        }
        if let loop = listeners.first?.loop { schedule(loop) }
    }

    private func send(_ deviceState: SimulatedDeviceState) {
        guard deviceState.isOnAir, let report = deviceState.report else { return }
        let rssi = deviceState.nextStrength()
        // Some packets are dropped, as a scanner loses packets while it listens on another channel (Q65, Q66).
        if loss > 0, deviceState.generator.next() % 100 < loss { return }
        sent.countOne()
        for adapter in listeners where silentControllers.isEmpty || silentControllers[adapter.number] == nil {
            adapter.receive(report, rssi: rssi, from: deviceState)
        }
    }

    private static func wholeMilliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }

    /// Returns a duration in milliseconds: rounded up, at least one, and at most 68 years.
    private static func milliseconds(_ duration: Duration) -> Int {
        // The duration is limited before `components`, which traps if the seconds exceed 64 bits.
        let (seconds, attoseconds) = min(max(.milliseconds(1), duration), .seconds(1 << 31)).components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Counts advertisements that were sent, and those that were due but not sent. Thread-safe.
final class AdvertisementCounters: Sendable {
    private let number = Atomic(0)
    private let tooLate = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }
    var missed: Int { tooLate.load(ordering: .relaxed) }

    func countOne() { number.add(1, ordering: .relaxed) }

    func miss(_ count: Int) { tooLate.add(count, ordering: .relaxed) }
}
