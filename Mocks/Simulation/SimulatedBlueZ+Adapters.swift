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
            daemon?.add(adapter, as: number)
        }
    }

    /// Unplugs the adapter `hciN` and plugs it in again after a delay.
    ///
    /// By default the adapter gets the number after the highest one. If there is no adapter `hciN`, nothing happens.
    public func replugAdapter(_ number: Int = 0, as other: Int? = nil, after delay: Duration = .seconds(1)) {
        control { [weak self] environment, daemon in
            guard let hardware = environment.hardware.removeValue(forKey: number) else { return }
            let next = other ?? max(number, environment.hardware.keys.max() ?? 0) + 1
            if let daemon, let adapter = daemon.adapter(number) { daemon.remove(adapter) }
            self?.after(delay) { $0.addAdapter(hardware, as: next) }
        }
    }

    /// Switches an adapter on or off, as another program would.
    public func setPower(_ isOn: Bool, adapter number: Int = 0) {
        control { environment, daemon in
            environment.hardware[number]?.isPowered = isOn
            guard let adapter = daemon?.adapter(number), adapter.power != .offBlocked else { return }
            isOn ? adapter.switchedOn() : adapter.switchedOff(.off)
        }
    }

    /// Blocks an adapter by rfkill, or unblocks it and switches it on.
    public func setBlocked(_ isBlocked: Bool, adapter number: Int = 0) {
        control { environment, daemon in
            environment.hardware[number]?.isPowered = !isBlocked
            environment.hardware[number]?.isBlocked = isBlocked
            guard let adapter = daemon?.adapter(number) else { return }
            isBlocked ? adapter.switchedOff(.offBlocked) : adapter.switchedOn()
        }
    }
}
