import RxBluetooth

// Commands go to the adapter that hears the device, or that has its link. Until there is one, they are held.
extension DeviceConnections {
    /// Handles a message on the topic of commands for a device.
    func receiveCommand(_ message: ReceivedMessage, for address: BluetoothAddress) {
        switch book.receive(message, for: address, now: loop.monotonicTime, time: loop.scheduler.now) {
        case .ignored: break
        case .refused(let id, let failure): emit(id, of: address, failure)
        case .accepted(let command, let identifier):
            // Before the execution, so that a crash does not execute it again.
            unsaved.append(command)
            startHeldTimer()
            delivery.remember(identifier, keeping: book.memory) { [weak self] in self?.stored(command, isStored: $0) }
        }
    }

    private func stored(_ command: PendingCommand, isStored: Bool) {
        // It has failed already if the gateway has stopped meanwhile.
        guard let index = unsaved.firstIndex(of: command) else { return }
        unsaved.remove(at: index)
        guard isStored else {
            expiredCommands += 1
            book.forget(command.command.id, of: command.address)
            return fail(command, .storeFailed)
        }
        execute(command)
    }

    private func execute(_ command: PendingCommand) {
        guard let central = claimant(of: command.address).flatMap({ centrals[$0] }) else {
            held.add(command)
            return startHeldTimer()
        }
        central.receive(command)
    }

    /// The adapter that has the link of a device or hears it; nil if none does that can be used.
    private func claimant(of address: BluetoothAddress) -> AdapterKey? {
        [linked[address], choices[address]?.adapter].compactMap { $0 }.first(where: isUsable)
    }

    private func isUsable(_ adapter: AdapterKey) -> Bool { centrals[adapter]?.isAvailable == true }

    /// Moves the commands that wait for a device to the adapter that hears it now.
    func moveCommands(of address: BluetoothAddress, to adapter: AdapterKey) {
        guard isUsable(adapter) else { return }
        var commands = held.take { $0.address == address }
        for other in order where other != adapter { commands += centrals[other]?.takeCommands(of: address) ?? [] }
        for command in commands.sorted(by: { $0.arrival < $1.arrival }) { centrals[adapter]?.receive(command) }
    }

    /// An adapter has an obstacle, or no obstacle any more.
    func availabilityChanged(of adapter: AdapterKey) {
        guard let central = centrals[adapter] else { return }
        if !central.isAvailable {
            for command in central.takeCommands() { held.add(command) }
        }
        releaseHeld()
    }

    /// Passes held commands to the adapters of their devices.
    ///
    /// A command without such an adapter goes to the first one that can be used when half of its time has passed.
    func releaseHeld() {
        let now = loop.monotonicTime
        let usable = order.filter(isUsable)
        let isReady: (PendingCommand) -> Bool = { [self] in
            claimant(of: $0.address) != nil || $0.patience <= now && !usable.isEmpty
        }
        for command in held.take(where: isReady) {
            guard let adapter = claimant(of: command.address) ?? usable.first else { continue }
            centrals[adapter]?.receive(command)
        }
        startHeldTimer()
    }

    /// Ends the commands that are held, because this object stops.
    func failHeld() {
        let commands = unsaved + held.take { _ in true }
        unsaved = []
        for command in commands { fail(command, .stopped) }
    }

    private func startHeldTimer() {
        let now = loop.monotonicTime
        let wakes = [held.wake(now: now), unsaved.map(\.deadline).min()].compactMap { $0 }
        guard let wake = wakes.min() else { return }
        let bound = loop.bound(WeakReference(self))
        heldTimer.disposable = loop.schedule(after: max(.zero, wake - now)) { bound.value.object?.heldTimerFired() }
    }

    private func heldTimerFired() {
        let now = loop.monotonicTime
        for command in held.take(where: { $0.deadline <= now }) {
            expiredCommands += 1
            fail(command, .noAdapter)
        }
        // The disk may be slow. The command does not run when it is stored later.
        for command in unsaved where command.deadline <= now {
            expiredCommands += 1
            fail(command, .notStored)
        }
        unsaved.removeAll { $0.deadline <= now }
        // Another program may have connected a device, which does not advertise since then.
        for adapter in order where isUsable(adapter) { centrals[adapter]?.findConnected() }
        releaseHeld()
    }

    func fail(_ command: PendingCommand, _ failure: CommandFailure) {
        book.finish(command.command.id, of: command.address)
        emit(command.command.id, of: command.address, failure)
    }

    private func emit(_ id: String?, of address: BluetoothAddress, _ failure: CommandFailure) {
        let time = loop.scheduler.now
        let result = CommandResult(address, id: id, failure: failure, time: time)
        onEvent?(GATTEvent(address: address, time: time, content: .result(result)))
    }
}

extension CommandFailure {
    fileprivate static let noAdapter = CommandFailure(
        kind: "no-adapter", text: "No Bluetooth adapter was found before the deadline; check the adapter and bluetoothd"
    )
    fileprivate static let notStored = CommandFailure(
        kind: "deadline", text: "The gateway could not store the command before its deadline; check its disk")
    fileprivate static let storeFailed = CommandFailure(
        kind: "store-failed",
        text: "The gateway could not store the id of the command, and did not execute it, because a restart could "
            + "repeat it; check its disk, and send it again")
    fileprivate static let stopped = CommandFailure(
        kind: "gateway-stopped", text: "The gateway stopped before an adapter was found; send it again with a new id")
}
