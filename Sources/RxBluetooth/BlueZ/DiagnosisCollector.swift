import DBus

/// Collects a diagnosis from the client's state and from a call to bluetoothd, within a deadline.
final class DiagnosisCollector {
    private let client: BlueZClient
    private let switches: [RadioSwitch]
    private let selection: AdapterSelection
    private let emitter: Emitter<Diagnosis>
    private var deadline: BusTask?
    private var question: BusTask?

    init(
        _ client: BlueZClient, _ switches: [RadioSwitch], _ selection: AdapterSelection, _ emitter: Emitter<Diagnosis>
    ) {
        self.client = client
        self.selection = selection
        self.switches = switches
        self.emitter = emitter
    }

    func begin() {
        deadline = client.bus.schedule(after: client.settings.deadlines.diagnosis) { [self] in
            conclude(client.isOwnerKnown ? client.owner.map { .silent(name: $0) } : nil)
        }
        emitter.onEnd { [self] in
            deadline?.cancel()
            question?.cancel()
            (deadline, question) = (nil, nil)
        }
        client.onStateKnown { [weak self] _ in
            if let self, emitter.isActive { ask() }
        }
    }

    /// Makes a call that every bluetoothd supports and that has a small reply.
    private func ask() {
        guard client.finalFailure == nil, let owner = client.owner else { return conclude(nil) }
        // bluetoothd cannot be used until it has listed its objects, so the failure to list them is the result.
        if let failure = client.syncFailure {
            return conclude(failure.kind == .timedOut ? .silent(name: owner) : .refuses(name: owner, failure))
        }
        let answered: (Result<Message, DBusError>) -> Void = { [self] result in
            switch result.mapError({ BluetoothError($0) }) {
            case .success: conclude(.answers(name: owner))
            // The loss of the bus or of bluetoothd is reported next, so the diagnosis waits for that report and
            // includes it.
            case .failure(let error) where [.busUnavailable, .daemonUnavailable].contains(error.kind):
                client.bus.perform { [self] in conclude(nil) }
            case .failure(let error): conclude(.refuses(name: owner, error))
            }
        }
        let limit = client.settings.deadlines.diagnosis.timer + .seconds(1)
        if let number = client.adapter(for: selection) ?? client.mirror.adapters.keys.min() {
            question = client.call(
                .property("Powered", of: BlueZ.adapter, at: adapterPath(number)), deadline: limit, then: answered)
        } else {
            question = client.call(.introspect, deadline: limit, then: answered)
        }
    }

    private func conclude(_ daemon: Diagnosis.DaemonStatus?) {
        if emitter.isActive { emitter.finish(client.diagnosis(daemon, switches, selection)) }
    }
}

extension BlueZClient {
    /// Returns the diagnosis of the present state.
    ///
    /// - Parameter answer: How bluetoothd answered; nil if it does not run or was not called.
    func diagnosis(
        _ answer: Diagnosis.DaemonStatus?, _ switches: [RadioSwitch], _ selection: AdapterSelection
    ) -> Diagnosis {
        let selected = adapter(for: selection)
        let bus: Diagnosis.BusStatus = finalFailure.map { .unreachable($0) } ?? (isOwnerKnown ? .reachable : .silent)
        let daemon = answer ?? (bus == .reachable && owner == nil ? .notRunning : .unknown)
        var diagnosis = Diagnosis(
            state: state(of: selected), bus: bus, daemon: daemon, daemonVersion: version,
            adapters: Adapter.list(mirror.adapters, selected: selected),
            choice: selection.reason(for: selected.flatMap { mirror.adapters[$0] }), switches: switches,
            // Without an adapter that is on, the source of the next scan does not matter.
            scanSource: settings.advertisements == nil || state(of: selected) != .poweredOn
                ? nil : scans.packets.probe(),
            scans: scans.diagnosis,
            foreignScans: mirror.adapters.values.filter { $0.isDiscovering && !scans.isActive(on: $0.number) }
                .sorted { $0.number < $1.number }.map { adapter in
                    Diagnosis.ForeignScan(
                        adapter: "hci\(adapter.number)",
                        duration: adapter.discoveringSince.map { settings.elapsed(since: $0) })
                },
            connections: (links.all.compactMap(\.diagnosis) + connectionsThatWait)
                .sorted { $0.peripheral.address < $1.peripheral.address },
            pairings: pairings.diagnosis, rejectedMessages: mirror.rejected)
        diagnosis.findings = diagnosis.found(selection)
        return diagnosis
    }

    private var connectionsThatWait: [Diagnosis.ConnectionStatus] {
        peripherals.reconnecting.compactMap { peripheral in
            guard links[peripheral.key] == nil, let outage = peripheral.reconnector?.outage else { return nil }
            let disconnectedFor = settings.elapsed(since: outage.since)
            return Diagnosis.ConnectionStatus(
                peripheral: peripheral, step: .waiting, duration: disconnectedFor, running: nil, runningFor: nil,
                overdueAfter: nil, waiting: 0, disconnectedFor: disconnectedFor,
                cause: outage.cause)
        }
    }
}

extension Link {
    /// The status of the link for a diagnosis; nil after its end.
    fileprivate var diagnosis: Diagnosis.ConnectionStatus? {
        let step: Diagnosis.ConnectionStatus.Step
        switch state.step {
        case .connecting: step = .connecting
        case .connected: step = .connected
        case .losing: step = .losing
        case .closing: step = .closing
        case .ended: return nil
        }
        let outage = isConnected ? nil : peripheral.reconnector?.outage
        return Diagnosis.ConnectionStatus(
            peripheral: peripheral, step: step, duration: client.settings.elapsed(since: since),
            running: queue.current?.operation, runningFor: queue.current?.time,
            overdueAfter: queue.overdueAfter, waiting: queue.waitingCount,
            disconnectedFor: outage.map { client.settings.elapsed(since: $0.since) }, cause: outage?.cause)
    }
}
