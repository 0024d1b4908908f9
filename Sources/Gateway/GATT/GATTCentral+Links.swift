import Rx
import RxBluetooth

extension GATTCentral {
    /// Starts an attempt to connect.
    func connect(_ address: BluetoothAddress) {
        guard let device = devices[address] else { return }
        device.isClosing = false
        enter(.connecting, device)
        let central = loop.bound(WeakReference(self))
        // The gateway closes the link of an earlier process too, so that rotation frees it.
        let link = manager.connect(
            to: device.presentAddress, kind: device.likelyKind,
            options: ConnectOptions(existingLink: settings.closesForeignLinks ? .takeOver : .share))
        device.connection.disposable = link.subscribe { event in
            guard let central = central.value.object else { return }
            switch event {
            case .next(let peripheral): central.linkUp(address, peripheral)
            case .error(let error): central.linkDown(address, BluetoothError.of(error))
            case .completed: break
            }
        }
    }

    func enter(_ state: GATTLinkState, _ device: GATTDevice) {
        guard device.state != state else { return }
        device.state = state
        emit(.state(state), device.settings.address)
    }

    private func linkUp(_ address: BluetoothAddress, _ peripheral: Peripheral) {
        guard let device = devices[address] else { return }
        device.peripheral = peripheral
        device.isLinkLost = false
        device.failures = 0
        scheduler.connected(address, now: loop.monotonicTime)
        enter(.connected, device)
        if scheduler.devices[address]?.hasJobs == true { device.jobs.begin(on: peripheral) }
        startCommand(device)
        decideSoon()
    }

    private func linkDown(_ address: BluetoothAddress, _ error: BluetoothError) {
        guard let device = devices[address] else { return }
        let wasConnected = device.peripheral != nil
        // A device does not advertise while it is connected.
        if wasConnected { device.lastHeard = loop.monotonicTime }
        // The link is closed when the request to close it completes.
        if device.isClosing, device.run == nil, error.ending == .closed { return device.peripheral = nil }
        if error.ending != .closed {
            let failure = GATTFailure(kind: error.code, text: error.description)
            if error.ending == .failed, !wasConnected { device.failures += 1 }
            // The kind of the address was guessed wrong.
            if error.kind == .invalidArgument { device.kind = device.likelyKind == .public ? .random : .public }
            emit(.failure(failure), address)
        }
        // The next command waits for the next link.
        device.peripheral = nil
        let text =
            error.kind == .closed ? "the gateway has restarted its adapter; send the command again" : error.description
        device.run?.fail(error.code, text)
        ended(address, error.ending)
    }

    /// Handles the end of an attempt or a link.
    func ended(_ address: BluetoothAddress, _ ending: ConnectionScheduler.Ending) {
        guard let device = devices[address] else { return }
        device.jobs.end()
        device.peripheral = nil
        device.isClosing = false
        scheduler.ended(address, ending, now: loop.monotonicTime)
        enter(.disconnected, device)
        decideSoon()
    }

    /// Closes a link after the command that runs on it.
    func close(_ address: BluetoothAddress) {
        guard let device = devices[address] else { return }
        device.isClosing = true
        closeIfDone(device)
    }

    private func closeIfDone(_ device: GATTDevice) {
        guard device.isClosing, device.run == nil, let peripheral = device.peripheral else { return }
        device.jobs.end()
        let address = device.settings.address
        let central = loop.bound(WeakReference(self))
        // The controller has the link until this completes. If closing fails, the library tries again by disposing.
        _ = peripheral.disconnect().subscribe { _ in
            guard let central = central.value.object, let device = central.devices[address], device.isClosing else {
                return
            }
            device.connection.disposable = Disposables.create()
            central.ended(address, .closed)
        }
    }

    /// Handles an output of the jobs of a device.
    func handle(_ output: GATTJobs.Output, of address: BluetoothAddress) {
        switch output {
        case .value(let value): emit(.value(value), address)
        case .failure(let failure): emit(.failure(failure), address)
        case .idle(let time):
            scheduler.setIdle(until: time, address)
            decideSoon()
        case .stalled:
            devices[address]?.connection.disposable = Disposables.create()
            linkDown(address, BluetoothError(.connectionStalled))
        }
    }

    // MARK: - Commands

    /// Starts the next command of a device if it has a link.
    func startCommand(_ device: GATTDevice) {
        let address = device.settings.address
        guard isStarted, device.run == nil, !device.isClosing, !device.isLinkLost, let peripheral = device.peripheral
        else { return }
        guard let entry = commands[address]?.first else { return }
        let central = loop.bound(WeakReference(self))
        let id = entry.command.id
        let run = CommandRun(entry.command, on: peripheral, until: entry.deadline, loop: loop) { outcome in
            guard let central = central.value.object else { return }
            central.finish(id, of: address, values: outcome.values, failure: outcome.failure)
        }
        device.run = run
        run.start()
    }

    func setDeadline(of command: PendingCommand) {
        let address = command.address
        guard let device = devices[address] else { return }
        let central = loop.bound(WeakReference(self))
        let id = command.command.id
        let rest = max(.zero, command.deadline - loop.monotonicTime)
        device.deadlines[id] = loop.schedule(after: rest) { central.value.object?.expire(id, address) }
        startCommand(device)
    }

    /// Ends all commands, because this object stops.
    func failCommands() {
        let kind = "gateway-stopped"
        let text = "The gateway stopped, or restarted its connections; send it again with a new id"
        for (address, device) in devices.sorted(by: { $0.key < $1.key }) {
            device.run?.fail(kind, text)
            for entry in commands[address] ?? [] {
                finish(entry.command.id, of: address, values: [], failure: CommandFailure(kind: kind, text: text))
            }
        }
    }

    /// Stores the commands of a device in the scheduler.
    func countCommands(_ address: BluetoothAddress) {
        let entries = commands[address] ?? []
        scheduler.setCommands(
            entries.count, of: address, since: entries.map(\.arrival).min(), deadline: entries.map(\.deadline).min(),
            now: loop.monotonicTime)
    }

    private func expire(_ id: String, _ address: BluetoothAddress) {
        guard let device = devices[address] else { return }
        if let run = device.run, run.command.id == id {
            return run.fail("deadline", "The deadline of the command passed during this step")
        }
        let text =
            switch device.state {
            case .connected: "The deadline passed while earlier commands of \(address) ran"
            case .connecting: "The deadline passed while the gateway connected to \(address)"
            case .disconnected where scheduler.devices[address]?.isHeard == true:
                "The deadline passed while \(address) waited for a free link"
            case .disconnected: "\(address) is not in range of this gateway"
            }
        finish(id, of: address, values: [], failure: CommandFailure(kind: "deadline", text: text))
    }

    func finish(
        _ id: String, of address: BluetoothAddress, values: [CommandResult.Value], failure: CommandFailure?
    ) {
        guard let device = devices[address],
            let index = commands[address]?.firstIndex(where: { $0.command.id == id })
        else { return }
        commands[address]?.remove(at: index)
        device.deadlines.removeValue(forKey: id)?.dispose()
        if device.run?.command.id == id {
            device.run = nil
            device.isLinkLost = failure?.isLinkEnd ?? false
        }
        countCommands(address)
        emit(
            .result(CommandResult(address, id: id, values: values, failure: failure, time: loop.scheduler.now)),
            address)
        closeIfDone(device)
        startCommand(device)
        decideSoon()
    }
}
