import RxBluetooth

// Commands go to the adapter that hears the device, or that has its link. Until there is one, they are held.
extension DeviceConnections {
    /// Handles a command for a device.
    func receiveCommand(_ message: ReceivedMessage, for address: BluetoothAddress) {
        if let central = central(for: message, of: address) {
            return central.receive(message.payload, isRetained: message.isRetained, for: address)
        }
        let now = loop.monotonicTime
        let refusal = held.receive(message.payload, isRetained: message.isRetained, for: address, now: now)
        if let refusal { return fail(refusal.id, of: address, refusal.failure) }
        startHeldTimer()
    }

    /// The adapter for a message; nil if it is held. A repetition goes where the command went.
    private func central(for message: ReceivedMessage, of address: BluetoothAddress) -> GATTCentral? {
        guard isDescribed(address) else { return nil }
        if let id = GATTCommand.identifier(ofPayload: message.payload) {
            if held.remembers(id, of: address) { return nil }
            let earlier = order.compactMap { centrals[$0] }.first { $0.commands.remembers(id, of: address) }
            if let earlier { return earlier }
        }
        return claimant(of: address).flatMap { centrals[$0] }
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
            for command in central.takeCommands() {
                if let refusal = held.add(command) { fail(refusal.id, of: command.address, refusal.failure) }
            }
        }
        releaseHeld()
    }

    /// Passes held commands to the adapters of their devices.
    ///
    /// A command without such an adapter goes to the first one that can be used when half of its time has passed.
    func releaseHeld() {
        let now = loop.monotonicTime
        let usable = order.filter(isUsable)
        let isReady: (HeldCommands.Entry) -> Bool = { [self] in
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
        for command in held.end(now: nil) { fail(command.command.id, of: command.address, .stopped) }
    }

    private func startHeldTimer() {
        let now = loop.monotonicTime
        guard let wake = held.wake(now: now) else { return }
        let bound = loop.bound(WeakReference(self))
        heldTimer.disposable = loop.schedule(after: max(.zero, wake - now)) { bound.value.object?.heldTimerFired() }
    }

    private func heldTimerFired() {
        let now = loop.monotonicTime
        for command in held.end(now: now) {
            expiredCommands += 1
            fail(command.command.id, of: command.address, .noAdapter)
        }
        // Another program may have connected a device, which does not advertise since then.
        for adapter in order where isUsable(adapter) { centrals[adapter]?.findConnected() }
        releaseHeld()
    }

    private func fail(_ id: String?, of address: BluetoothAddress, _ failure: CommandFailure) {
        let time = loop.scheduler.now
        let result = CommandResult(address, id: id, failure: failure, time: time)
        onEvent?(GATTEvent(address: address, time: time, content: .result(result)))
    }
}

extension CommandFailure {
    fileprivate static let noAdapter = CommandFailure(
        kind: "no-adapter", text: "No Bluetooth adapter was found before the deadline; check the adapter and bluetoothd"
    )
    fileprivate static let stopped = CommandFailure(
        kind: "gateway-stopped", text: "The gateway stopped before an adapter was found; send it again")
}
