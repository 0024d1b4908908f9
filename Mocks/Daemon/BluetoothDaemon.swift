import DBus

/// One run of the simulated bluetoothd: from acquiring its bus name to losing it.
final class BluetoothDaemon {
    let loop: DaemonLoop
    let agents: AgentManager
    private let environment: DaemonEnvironment
    private let interceptor: CallInterceptor
    private(set) var adapters: [DaemonAdapter] = []
    private var export: BusTask?

    init(bus: any Bus, environment: DaemonEnvironment, interceptor: CallInterceptor) {
        loop = DaemonLoop(
            bus: interceptor.quirks.isDisjoint(with: SignalInterceptor.quirks)
                ? bus : SignalInterceptor(bus, interceptor))
        loop.crashed = { [weak interceptor] in interceptor?.simulation?.crashForAWhile() }
        agents = AgentManager(loop)
        self.environment = environment
        self.interceptor = interceptor
    }

    func start(_ done: @escaping @Sendable (DBusError?) -> Void = { _ in }) {
        let transfer = BusContextTransfer(self)
        export = loop.bus.export(at: .root, includingChildren: true) { call in
            transfer.content.answer(call)
        }
        loop.bus.requestName("org.bluez") { error in
            if error == nil { transfer.content.named() }
            done(error)
        }
    }

    private func named() {
        loop.run {
            agents.appear()
            // Adapters are pairable while an agent is registered (adapter_set_io_capability). The change is delayed,
            // because bluetoothd first informs the kernel: the signal follows the reply to `RegisterAgent`.
            agents.defaultChanged = { [weak self] agent in
                self?.loop.after(.zero) { [weak self] in
                    for adapter in self?.adapters ?? [] { adapter.setPairable(agent != nil) }
                }
            }
            for (number, hardware) in environment.hardware.sorted(by: { $0.key < $1.key }) { add(hardware, as: number) }
        }
    }

    private func answer(_ call: IncomingCall) {
        loop.run { interceptor.take(call, on: loop.bus, of: environment) { loop.tree.answer($0) } }
    }

    // MARK: Adapters

    func adapter(_ number: Int) -> DaemonAdapter? { adapters.first { $0.number == number } }

    func add(_ hardware: SimulatedAdapter, as number: Int) {
        guard adapter(number) == nil else { return }
        let adapter = DaemonAdapter(
            number: number, hardware, loop: loop, agents: agents, radio: environment.radio,
            storage: environment.storage,
            differences: environment.differences, management: environment.management)
        adapters.append(adapter)
        adapter.appear()
    }

    func remove(_ adapter: DaemonAdapter) {
        adapters.removeAll { $0 === adapter }
        adapter.disappear()
    }

    // MARK: Stop and crash

    /// Stops as on SIGTERM: switches the adapters off and removes all objects first.
    func stop() {
        loop.run {
            for adapter in adapters where adapter.isPowered {
                adapter.temporaryDevices.removeAll()
                adapter.power = .onDisabling
                adapter.changed("PowerState")
                loop.tree.flush()
                adapter.switchedOff(.off)
                loop.tree.flush()
            }
            agents.disappear()
            for adapter in adapters { adapter.disappear() }
        }
        die()
    }

    /// Ends the daemon at once, without a D-Bus signal.
    ///
    /// The links end also: the kernel drops them when their sockets close with the process.
    func die() {
        loop.end()
        export?.cancel()
        export = nil
        environment.radio.stopListening()
        for deviceState in environment.radio.deviceStates { deviceState.link?.end() }
        adapters = []
    }
}
