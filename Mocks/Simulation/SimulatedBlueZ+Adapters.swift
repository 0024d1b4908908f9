/// Controls of the computer's adapters.
extension SimulatedBlueZ {
    /// Unplugs the adapter `hciN`. Its objects are removed, and its links end.
    public func removeAdapter(_ number: Int = 0) {
        control { environment, daemon in
            environment.hardware[number] = nil
            if let daemon, let adapter = daemon.adapter(number) { daemon.remove(adapter) }
        }
    }

    /// Plugs an adapter in as `hciN`. A real kernel can give a returning adapter another number.
    public func addAdapter(_ adapter: SimulatedAdapter = SimulatedAdapter(), as number: Int = 0) {
        control { environment, daemon in
            environment.hardware[number] = adapter
            environment.radio.remedy(.plugIn, for: number)
            daemon?.add(adapter, as: number)
        }
    }

    /// Unplugs the adapter `hciN` and plugs it in again after a delay.
    ///
    /// By default the adapter gets the number after the highest one. If there is no adapter `hciN`, nothing happens.
    /// Meanwhile ``setPower(_:adapter:)`` and ``setBlocked(_:adapter:)`` with the new number set the state in which the
    /// adapter returns: rfkill gives a radio that is plugged in the present state of all Bluetooth radios.
    ///
    /// Source: Linux 6.1, `net/rfkill/core.c`, `rfkill_sync_work`.
    public func replugAdapter(_ number: Int = 0, as other: Int? = nil, after delay: Duration = .seconds(1)) {
        control { [weak self] environment, daemon in
            guard let hardware = environment.hardware.removeValue(forKey: number) else { return }
            environment.radio.remedy(.plugIn, for: number)
            let numbers = [number] + environment.hardware.keys + environment.returning.keys
            let next = other ?? (numbers.max() ?? 0) + 1
            environment.returning[next] = hardware
            if let daemon, let adapter = daemon.adapter(number) { daemon.remove(adapter) }
            self?.after(delay) { $0.plugInAgain(as: next) }
        }
    }

    private func plugInAgain(as number: Int) {
        control { environment, daemon in
            guard let adapter = environment.returning.removeValue(forKey: number) else { return }
            environment.hardware[number] = adapter
            environment.radio.remedy(.plugIn, for: number)
            daemon?.add(adapter, as: number)
        }
    }

    /// Switches an adapter on or off, as another program would.
    public func setPower(_ isOn: Bool, adapter number: Int = 0) {
        control { environment, daemon in
            environment.hardware[number]?.isPowered = isOn
            environment.returning[number]?.isPowered = isOn
            guard let adapter = daemon?.adapter(number), adapter.power != .offBlocked else { return }
            isOn ? adapter.switchedOn() : adapter.switchedOff(.off)
        }
    }

    /// Blocks an adapter by rfkill, or unblocks it and switches it on.
    public func setBlocked(_ isBlocked: Bool, adapter number: Int = 0) {
        control { environment, daemon in
            for state in [\DaemonEnvironment.hardware, \.returning] {
                environment[keyPath: state][number]?.isPowered = !isBlocked
                environment[keyPath: state][number]?.isBlocked = isBlocked
            }
            if !isBlocked { environment.radio.remedy(.unblock, for: number) }
            guard let adapter = daemon?.adapter(number) else { return }
            isBlocked ? adapter.switchedOff(.offBlocked) : adapter.switchedOn()
        }
    }
}
