import BluetoothValues
import RxBluetoothMocks
import YAMLDocuments

/// Reads the scenario, its adapters and its peripherals.
extension ScenarioNode {
    func scenario() throws(ScenarioFileError) -> Scenario {
        let parts = try parts(
            "seed", "packet-loss", "bluez", "adapters", "peripherals", "quirks", "disabled-quirks", "features",
            "disabled-features", "faults", "events")
        var scenario = Scenario(
            peripherals: try peripherals(
                try parts["peripherals"].or([]) { e throws(ScenarioFileError) in try e.list("a peripheral") }))
        if let part = parts["bluez"] { scenario.bluez = try part.choice(SimulatedBlueZ.Version.self) }
        scenario.seed = UInt64(try parts["seed"].or(1) { e throws(ScenarioFileError) in try e.number(0...Int.max) })
        scenario.packetLoss = try parts["packet-loss"].or(0) { e throws(ScenarioFileError) in try e.number(0...100) }
        if let adapters = parts["adapters"] {
            scenario.adapters = []
            var addresses: Set<String> = []
            for entry in try adapters.list("an adapter") {
                let adapter = try entry.adapter()
                guard addresses.insert(adapter.address).inserted else {
                    throw entry.error(
                        "duplicate address \(adapter.address)", "a different address for each adapter")
                }
                scenario.adapters.append(adapter)
            }
        }
        if let part = parts["quirks"] { scenario.quirks = try part.quirks() }
        if let part = parts["disabled-quirks"] { scenario.disabledQuirks = try part.quirks() }
        if let part = parts["features"] { scenario.features = try part.features() }
        if let part = parts["disabled-features"] { scenario.disabledFeatures = try part.features() }
        var known = KnownPeripherals(scenario.peripherals)
        if let events = parts["events"] {
            for entry in try events.list("an event") { scenario.script.append(try entry.event(&known)) }
        }
        if let faults = parts["faults"] {
            for entry in try faults.list("a fault") { scenario.faults.append(try entry.fault(&known)) }
        }
        return scenario
    }

    private func peripherals(_ entries: [ScenarioNode]) throws(ScenarioFileError) -> [SimulatedPeripheral] {
        var lines: [String: Int] = [:]
        var peripherals: [SimulatedPeripheral] = []
        for entry in entries {
            let peripheral = try entry.peripheral()
            if let line = lines[peripheral.address] {
                throw entry.error(
                    "duplicate address \(peripheral.address), first in line \(line)",
                    "a different address for each peripheral")
            }
            lines[peripheral.address] = entry.node.line
            peripherals.append(peripheral)
        }
        return peripherals
    }

    func adapter() throws(ScenarioFileError) -> SimulatedAdapter {
        let parts = try parts("address", "name", "powered", "blocked")
        var adapter = SimulatedAdapter()
        if let part = parts["address"] { adapter.address = try part.address() }
        if let part = parts["name"] { adapter.name = try part.text() }
        if let part = parts["powered"] { adapter.isPowered = try part.truth() }
        if let part = parts["blocked"] { adapter.isBlocked = try part.truth() }
        return adapter
    }

    private func quirks() throws(ScenarioFileError) -> Set<Quirk> {
        Set(try list("a quirk").each { e throws(ScenarioFileError) in try e.quirk() })
    }

    private func features() throws(ScenarioFileError) -> Set<SimulatedFeature> {
        Set(try list("a feature").each { e throws(ScenarioFileError) in try e.choice(SimulatedFeature.self) })
    }

    private func quirk() throws(ScenarioFileError) -> Quirk {
        let text = try text().uppercased()
        guard text.hasPrefix("Q"), let quirk = Int(text.dropFirst()).flatMap(Quirk.init) else {
            throw wrong("one of \(Quirk.allCases.map { "Q\($0.rawValue)" }.joined(separator: ", "))")
        }
        return quirk
    }

    func peripheral() throws(ScenarioFileError) -> SimulatedPeripheral {
        let parts = try parts(
            "name", "address", "address-type", "advertisement", "connection", "pairing", "services", "channels")
        var peripheral = SimulatedPeripheral(
            try required("name", in: parts).text(), address: try required("address", in: parts).address())
        if let part = parts["address-type"] {
            guard let type = SimulatedPeripheral.AddressType(rawValue: try part.text()) else {
                throw part.wrong("public or random")
            }
            peripheral.addressType = type
        }
        peripheral.advertisement = try parts["advertisement"].or(nil) { e throws(ScenarioFileError) in
            try e.advertisement()
        }
        if let part = parts["connection"] { peripheral.connection = try part.connection() }
        if let part = parts["pairing"] { peripheral.pairing = try part.pairing() }
        if let part = parts["services"] { peripheral.services = try part.services(of: peripheral) }
        if let part = parts["channels"] {
            for entry in try part.list("a channel") { try entry.addChannel(to: &peripheral) }
        }
        return peripheral
    }

    func advertisement() throws(ScenarioFileError) -> SimulatedAdvertisement {
        let names =
            [
                "interval", "rssi", "jitter", "name", "connectable", "tx-power", "services", "manufacturer-data",
                "service-data", "appearance", "flags", "first-after",
            ] + Self.sensorFormats.map(\.rawValue)
        let keys = names.joined(separator: ", ")
        let parts = try parts(Set(names), expected: ("the keys \(keys)", "one of \(keys)"))
        var advertisement = SimulatedAdvertisement(
            every: try required("interval", in: parts).interval(),
            rssi: try required("rssi", in: parts).number(-127...20))
        if let part = parts["jitter"] { advertisement.jitter = try part.number(0...60) }
        if let part = parts["name"] {
            let name = Array(try part.text().utf8)
            guard name.count <= 248 else { throw part.error("name has \(name.count) bytes", "at most 248 bytes") }
            advertisement.name = name
        }
        if let part = parts["connectable"] { advertisement.isConnectable = try part.truth() }
        if let part = parts["tx-power"] { advertisement.txPower = Int8(try part.number(-127...126)) }
        if let part = parts["services"] {
            advertisement.services = try part.list("a service").each { e throws(ScenarioFileError) in try e.uuid() }
        }
        if let part = parts["manufacturer-data"] {
            for (key, value) in try part.pairs() {
                let company = UInt16(try key.number(0...0xFFFF))
                guard advertisement.manufacturerData[company] == nil else {
                    throw key.error("duplicate company \(company)", "each company once")
                }
                advertisement.manufacturerData[company] = try value.bytes(atMost: 252)
            }
        }
        if let part = parts["service-data"] {
            for (key, value) in try part.pairs() {
                advertisement.serviceData[try key.uuid()] = try value.bytes(atMost: 252)
            }
        }
        if let part = parts["appearance"] { advertisement.appearance = UInt16(try part.number(0...0xFFFF)) }
        if let part = parts["flags"] {
            advertisement.flags = try part.text() == "none" ? nil : UInt8(try part.number(0...255))
        }
        if let part = parts["first-after"] { advertisement.firstAfter = try part.time() }
        advertisement.sensor = try sensor(in: parts)
        if advertisement.sensor != nil, parts["connectable"] == nil { advertisement.isConnectable = false }
        return advertisement
    }

    func connection() throws(ScenarioFileError) -> SimulatedConnection {
        let parts = try parts("delay", "discovery", "round-trip", "failures", "drops-after", "mtu")
        var connection = SimulatedConnection()
        if let part = parts["delay"] { connection.delay = try part.time() }
        if let part = parts["discovery"] { connection.discovery = try part.time() }
        if let part = parts["round-trip"] { connection.roundTrip = try part.time() }
        if let part = parts["failures"] { connection.failures = try part.number(0...1_000_000) }
        if let part = parts["drops-after"] { connection.dropsAfter = try part.time() }
        if let part = parts["mtu"] { connection.mtu = UInt16(try part.number(23...517)) }
        return connection
    }
}
