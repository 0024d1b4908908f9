import DBus

/// The changes of adapters that this manager requests: power and name.
final class AdapterControl {
    private unowned let client: BlueZClient
    /// The requests of each adapter in order. The first one is being executed.
    private var requests: [UInt16: [PowerSwitch]] = [:]
    /// Why the last request of an adapter failed, and the state that it requested.
    private var lastFailures: [UInt16: (isOn: Bool, error: BluetoothError)] = [:]

    init(_ client: BlueZClient) { self.client = client }

    /// Why the last request of each adapter failed.
    var failures: [UInt16: BluetoothError] { lastFailures.mapValues(\.error) }

    // MARK: Power

    func setPowered(_ isOn: Bool, on adapter: UInt16, _ emitter: Emitter<Never>) {
        let request = PowerSwitch(PowerRequest(isOn), on: adapter, client, emitter) { [weak self] in
            self?.ended($0, $1)
        }
        requests[adapter, default: []].append(request)
        emitter.onEnd { [weak self] in self?.abandon(request) }
        if requests[adapter]?.first === request { start(request) }
    }

    private func start(_ request: PowerSwitch) {
        if lastFailures.removeValue(forKey: request.adapter) != nil { client.publishReport() }
        request.handle(.start)
    }

    /// Removes a request that waits. A request that was sent continues, because bluetoothd cannot cancel it.
    private func abandon(_ request: PowerSwitch) {
        guard let queue = requests[request.adapter], queue.first !== request else { return }
        requests[request.adapter] = queue.filter { $0 !== request }
    }

    private func ended(_ request: PowerSwitch, _ error: BluetoothError?) {
        var queue = requests[request.adapter] ?? []
        queue.removeAll { $0 === request }
        requests[request.adapter] = queue.isEmpty ? nil : queue
        if let error, client.mirror.adapters[request.adapter] != nil, client.finalFailure == nil {
            lastFailures[request.adapter] = (request.isOn, error)
            client.publishReport()
        }
        if let error { request.emitter.fail(error) } else { request.emitter.complete() }
        if let next = requests[request.adapter]?.first, next.isWaiting { start(next) }
    }

    /// Handles changes of adapters: new properties, and adapters that are gone.
    func adaptersChanged() {
        for (adapter, failure) in lastFailures {
            let record = client.mirror.adapters[adapter]
            if record == nil || record?.isPowered == failure.isOn { lastFailures[adapter] = nil }
        }
        for adapter in requests.keys where client.mirror.adapters[adapter] == nil {
            fail(requests.removeValue(forKey: adapter) ?? [], BluetoothError(.noAdapter))
        }
        for request in requests.values.compactMap(\.first) { request.handle(.shown) }
    }

    /// Fails all requests, because bluetoothd or the bus is gone, or the manager is closed.
    func fail(_ error: BluetoothError) {
        let all = requests.values.flatMap(\.self)
        requests = [:]
        fail(all, error)
        lastFailures = [:]
    }

    /// Fails requests that were removed from the queues, so that none of them starts the next one.
    private func fail(_ removed: [PowerSwitch], _ error: BluetoothError) {
        for request in removed { request.handle(.lost(error)) }
    }

    // MARK: Name

    /// The longest name in bytes of UTF-8. bluetoothd 5.66 cuts a longer one, also one of the 248 bytes that the
    /// Core Specification permits (5.4, Vol 3, Part C, 3.2.2.3).
    static let longestName = 247

    func setAlias(_ alias: String, on adapter: UInt16, _ emitter: Emitter<Never>) throws(BluetoothError) {
        let target = "hci\(adapter)"
        guard alias.utf8.count <= Self.longestName, !alias.utf8.contains(0) else {
            throw BluetoothError(
                .invalidArgument, target: target,
                detail: "A name has at most \(Self.longestName) bytes of UTF-8, none of them zero")
        }
        client.call(.setAlias(alias, adapter), deadline: client.settings.deadlines.operation) { [weak client] result in
            switch result {
            case .success: emitter.complete()
            case .failure(let error):
                emitter.fail(
                    client?.cause(of: error)?.during(.setAlias, target)
                        ?? BluetoothError(error, operation: .setAlias, target: target))
            }
        }
    }
}

/// A request to switch an adapter on or off, which ``PowerRequest`` controls.
private final class PowerSwitch {
    let adapter: UInt16
    let emitter: Emitter<Never>
    private var state: PowerRequest
    private unowned let client: BlueZClient
    private let ended: (PowerSwitch, BluetoothError?) -> Void
    private var deadline: BusTask?
    private var pause: BusTask?

    init(
        _ state: PowerRequest, on adapter: UInt16, _ client: BlueZClient, _ emitter: Emitter<Never>,
        ended: @escaping (PowerSwitch, BluetoothError?) -> Void
    ) {
        self.state = state
        self.adapter = adapter
        self.client = client
        self.emitter = emitter
        self.ended = ended
    }

    var isOn: Bool { state.isOn }
    var isWaiting: Bool { state.phase == .waiting }
    private var name: String { "hci\(adapter)" }

    func handle(_ event: PowerRequest.Event) {
        let record = client.mirror.adapters[adapter]
        let facts = PowerRequest.Facts(isPowered: record?.isPowered == true, powerState: record?.powerState)
        for action in state.handle(event, facts) { execute(action) }
    }

    private func execute(_ action: PowerRequest.Action) {
        let limit = client.settings.deadlines.power
        switch action {
        case .startDeadline:
            deadline = client.bus.schedule(after: limit) { [weak self] in self?.handle(.deadline) }
        case .call:
            client.call(.setPowered(isOn, adapter), deadline: limit) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success: handle(.answered(nil))
                case .failure(let error):
                    handle(
                        .answered(
                            client.cause(of: error) ?? BluetoothError(error, operation: .setPower, target: name)))
                }
            }
        case .pause(let duration):
            pause = client.bus.schedule(after: duration) { [weak self] in self?.handle(.pauseEnded) }
        case .finish(let error):
            deadline?.cancel()
            pause?.cancel()
            ended(self, error.map { explained($0).during(.setPower, name) })
        }
    }

    /// Returns the error with the rfkill switch that caused it.
    ///
    /// bluetoothd reports a blocked adapter as `Blocked` or as `Failed`, and never says which switch blocks it (Q30).
    private func explained(_ error: BluetoothError) -> BluetoothError {
        guard isOn, error.kind == .blocked || error.kind == .bluez else { return error }
        let switches = client.settings.controller?.radioSwitches().filter { $0.name == name } ?? []
        guard error.kind == .blocked || switches.contains(where: \.isBlocked) else { return error }
        return BluetoothError(.blocked, after: error).withHardwareBlock(switches.contains(where: \.isHardBlocked))
    }
}

extension BlueZClient {
    /// Chooses the adapter for a selection, also if it is off. Throws if there is none.
    func anyAdapter(_ selection: AdapterSelection) throws(BluetoothError) -> UInt16 {
        keepChoice(selection)
        let adapter = adapter(for: selection)
        if let obstacle = obstacle(on: adapter), obstacle.kind != .poweredOff, obstacle.kind != .blocked {
            throw obstacle
        }
        guard let adapter else { throw BluetoothError(.noAdapter) }
        return adapter
    }
}
