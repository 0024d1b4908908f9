public import DBus

extension BluetoothManager {
    /// Makes a manager of this machine's Bluetooth, over the system bus.
    ///
    /// The first subscription to one of its streams opens the bus. If the bus is lost, the next subscription opens it
    /// again. If the configuration has no ``Configuration/controller``, no ``Configuration/advertisements`` or
    /// no ``Configuration/channels``, the manager uses the controllers and sockets of this machine.
    ///
    /// - Parameter configuration: The adapter, the scheduler, deadlines, pairing and the log. Default: see
    ///   ``Configuration``.
    public convenience init(configuration: Configuration = Configuration()) {
        var configuration = configuration
        configuration.controller = configuration.controller ?? HCIController()
        configuration.advertisements = configuration.advertisements ?? KernelAdvertisements.ofSystemBus
        configuration.channels =
            configuration.channels ?? Self.channelSockets(onBus: KernelAdvertisements.busOfEnvironment)
        self.init(configuration: configuration) { [interval = configuration.readingInterval] in
            Connection.open(.system, readingEvery: interval)
        }
    }

    /// Returns the sockets of this machine, or of the simulation on another bus than that of the system.
    ///
    /// The adapters of another bus may be simulated, so the links of this machine would be those of other devices.
    ///
    /// - Parameter address: The address of the bus; nil for that of the system.
    package static func channelSockets(onBus address: String?) -> any L2CAPSockets {
        guard let address, !KernelAdvertisements.isSystemBus(address) else { return KernelL2CAPSockets() }
        return ServedL2CAPSockets(bus: address)
    }

    /// Makes a manager over a given bus, for example of a simulation.
    ///
    /// - Parameters:
    ///   - configuration: The adapter, the scheduler, deadlines, pairing and the log.
    ///   - bus: The bus. Deadlines run on the clock of the bus. The manager closes the bus when the manager ends.
    public convenience init(configuration: Configuration, bus: any Bus) {
        self.init(configuration: configuration) { bus }
    }

    /// Makes a manager that opens its bus on first use, and again after the bus was lost.
    ///
    /// - Parameters:
    ///   - configuration: The adapter, the scheduler, deadlines, pairing and the log.
    ///   - open: Opens a bus. It may be called on any thread; two subscriptions at the same time may call it at the
    ///     same time.
    package convenience init(configuration: Configuration, openingBus open: @escaping @Sendable () -> any Bus) {
        self.init(BlueZAccess(settings: Settings(configuration), open: open), configuration.adapter)
    }
}

extension BlueZClient {
    /// Runs work when bluetoothd has received every message that was sent so far, or after a deadline.
    ///
    /// Before that, waits until repairs have ended, because a later process cannot repair the device (Q126). Afterwards
    /// waits for the end of links with unanswered operations, which shows whether bluetoothd has lost them.
    func afterDelivery(_ done: @escaping () -> Void) {
        staleOperations.whenIdle { [weak self] in
            self?.confirmDelivery { [weak self] in
                if let self { links.afterUnansweredOperations(done) } else { done() }
            }
        }
    }

    private func confirmDelivery(_ done: @escaping () -> Void) {
        // Without bluetoothd, no call is sent, because the bus would start bluetoothd for the call.
        guard owner != nil else { return done() }
        // The timer is necessary because the call's own deadline does not run while the call waits behind others (Q9).
        let limit = settings.deadlines.cleanup
        let deadline = bus.schedule(after: limit, done)
        // The call follows queued work of the bus context, which sends some of the requests of a disposed subscription.
        bus.perform { [self] in
            // The bus keeps the order of messages from one sender to one receiver, so bluetoothd answers after all
            // earlier messages.
            call(.ping, deadline: limit) { _ in
                deadline.cancel()
                done()
            }
        }
    }
}
