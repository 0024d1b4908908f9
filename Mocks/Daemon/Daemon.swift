import DBus

/// One life of the simulated bluetoothd: from taking its name on a bus to losing it.
final class Daemon {
    let turns: Turns
    let agents: Agents
    private let world: World
    private let desk: CallDesk
    private(set) var adapters: [Adapter] = []
    private var export: BusTask?

    init(bus: any Bus, world: World, desk: CallDesk) {
        turns = Turns(bus: desk.quirks.isDisjoint(with: SignalPath.quirks) ? bus : SignalPath(bus, desk))
        agents = Agents(turns)
        self.world = world
        self.desk = desk
    }

    func start(_ done: @escaping @Sendable (DBusError?) -> Void = { _ in }) {
        let parcel = Parcel(self)
        export = turns.bus.export(at: .root, includingChildren: true) { call in
            parcel.content.answer(call)
        }
        turns.bus.requestName("org.bluez") { error in
            if error == nil { parcel.content.named() }
            done(error)
        }
    }

    private func named() {
        turns.run {
            agents.appear()
            // The adapters take pairings in while there is somebody to ask (adapter_set_io_capability). The kernel is told
            // first, and whoever registered the agent has his answer before.
            agents.defaultChanged = { [weak self] agent in
                self?.turns.after(.zero) { [weak self] in
                    for adapter in self?.adapters ?? [] { adapter.setPairable(agent != nil) }
                }
            }
            for (number, hardware) in world.hardware.sorted(by: { $0.key < $1.key }) { add(hardware, as: number) }
        }
    }

    private func answer(_ call: IncomingCall) {
        turns.run { desk.take(call, on: turns.bus, of: world) { turns.tree.answer($0) } }
    }

    // MARK: Adapters

    func adapter(_ number: Int) -> Adapter? { adapters.first { $0.number == number } }

    func add(_ hardware: SimulatedAdapter, as number: Int) {
        guard adapter(number) == nil else { return }
        let adapter = Adapter(
            number: number, hardware, turns: turns, agents: agents, air: world.air, storage: world.storage,
            features: world.features, quirks: world.quirks)
        adapters.append(adapter)
        adapter.appear()
    }

    func remove(_ adapter: Adapter) {
        adapters.removeAll { $0 === adapter }
        adapter.disappear()
    }

    // MARK: The end

    /// Ends as on a signal to terminate: switches its adapters off and takes its objects away first.
    func stop() {
        turns.run {
            for adapter in adapters where adapter.isPowered {
                adapter.removeTemporaryDevices()
                adapter.power = .onDisabling
                adapter.changed("PowerState")
                turns.tree.flush()
                adapter.switchedOff(.off)
                turns.tree.flush()
            }
            agents.disappear()
            for adapter in adapters { adapter.disappear() }
        }
        die()
    }

    /// Ends without a word. The kernel drops its links, for their sockets close with the process.
    func die() {
        turns.end()
        export?.cancel()
        export = nil
        world.air.stopListening()
        for station in world.air.stations { station.link?.end() }
        adapters = []
    }
}
