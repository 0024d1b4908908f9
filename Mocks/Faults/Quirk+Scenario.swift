import DBus

/// Quirks that change values or events of the scenario.
extension Quirk {
    func change(_ scenario: inout Scenario) {
        scenario.faults += faults
        switch self {
        case .Q26: scenario.plugIn(after: .seconds(5), from: 0)
        case .Q27: scenario.plugIn(after: .zero, from: 1)
        case .Q30:
            for index in scenario.adapters.indices { scenario.adapters[index].isBlocked = true }
        case .Q40:
            scenario.script.append(at(.milliseconds(1)) { $0.competingClient().startDiscovery(["RSSI": .int16(-90)]) })
        case .Q62: scenario.rotateAddresses()
        case .Q65: scenario.packetLoss = 50
        case .Q66: scenario.packetLoss = 30
        case .Q73: scenario.changeConnections { $0.discovery = .seconds(1 << 32) }
        case .Q77: scenario.changeConnections { $0.failures = 2 }
        case .Q87: scenario.changeConnections { $0.dropsAfter = .milliseconds(50) }
        default: break
        }
    }
}

extension Scenario {
    /// Returns the scenario with the changes of all its quirks, including those of its version.
    func withQuirks() -> Scenario {
        var changed = self
        changed.quirks = VersionDifferences(self).quirks
        for quirk in quirks.sorted(by: { $0.rawValue < $1.rawValue }) { quirk.change(&changed) }
        return changed
    }

    fileprivate mutating func changeConnections(_ change: (inout SimulatedConnection) -> Void) {
        for index in peripherals.indices { change(&peripherals[index].connection) }
    }

    fileprivate mutating func plugIn(after delay: Duration, from first: Int) {
        for (index, adapter) in adapters.enumerated() {
            script.append(at(delay) { $0.addAdapter(adapter, as: first + index) })
        }
        adapters = []
    }

    fileprivate mutating func rotateAddresses() {
        for peripheral in peripherals {
            guard DeviceAddress(peripheral.address, isRandom: peripheral.addressType == .random)?.isPrivate == true
            else { continue }
            for turn in 1...96 {
                script.append(at(.seconds(900 * turn)) { $0.rotateAddress(of: peripheral.address) })
            }
        }
    }
}
