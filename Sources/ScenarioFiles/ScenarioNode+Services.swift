import RxBluetoothMocks

/// Reads the services of a peripheral.
extension ScenarioNode {
    /// Reads services. Fails if the peripheral would have more attributes than there are handles.
    func services(of peripheral: SimulatedPeripheral) throws(ScenarioFileError) -> [SimulatedService] {
        var peripheral = peripheral
        var written = AttributeCount(of: peripheral.name)
        peripheral.services = try list("a service").each { e throws(ScenarioFileError) in try e.service(&written) }
        let (count, most) = (peripheral.attributeCount, SimulatedPeripheral.mostAttributes)
        guard count <= most else {
            throw error("“\(peripheral.name)” has \(count) attributes", "at most \(most), one for each handle")
        }
        return peripheral.services
    }

    private func service(_ written: inout AttributeCount) throws(ScenarioFileError) -> SimulatedService {
        try written.add(1, at: self)
        let parts = try parts("uuid", "primary", "characteristics")
        var service = SimulatedService(try required("uuid", in: parts).uuid())
        if let part = parts["primary"] { service.isPrimary = try part.truth() }
        if let part = parts["characteristics"] {
            service.characteristics = try part.list("a characteristic").each { e throws(ScenarioFileError) in
                try e.characteristic(&written)
            }
        }
        return service
    }

    private func characteristic(_ written: inout AttributeCount) throws(ScenarioFileError) -> SimulatedCharacteristic {
        try written.add(2, at: self)
        let parts = try parts("uuid", "value", "properties", "every", "values", "descriptors", "protection")
        var characteristic = SimulatedCharacteristic(try required("uuid", in: parts).uuid())
        let value = try parts["value"].or([]) { e throws(ScenarioFileError) in try e.bytes(atMost: 512) }
        let interval = try parts["every"].or(nil) { e throws(ScenarioFileError) in try e.interval() }
        let values = try parts["values"].or([value]) { e throws(ScenarioFileError) in
            try e.list("a value").each { e throws(ScenarioFileError) in try e.bytes(atMost: 512) }
        }
        if values.isEmpty { throw required(values: parts["values"]) }
        for property in try required("properties", in: parts).list("a property") {
            let behaviour: SimulatedBehaviour
            switch (try property.text(), interval) {
            case ("read", _): behaviour = .read(value)
            case ("write", _): behaviour = .write
            case ("write-without-response", _): behaviour = .writeWithoutResponse
            case ("notify", nil): behaviour = .notify
            case ("notify", let interval?): behaviour = .notify(every: interval) { values[$0 % values.count] }
            case ("indicate", nil): behaviour = .indicate
            case ("indicate", let interval?): behaviour = .indicate(every: interval) { values[$0 % values.count] }
            default: throw property.wrong("one of read, write, write-without-response, notify, indicate")
            }
            characteristic.behaviours.append(behaviour)
        }
        if let part = parts["protection"] { characteristic.protection = try part.protection() }
        if let part = parts["descriptors"] {
            characteristic.descriptors = try part.list("a descriptor").each { e throws(ScenarioFileError) in
                try written.add(1, at: e)
                return try e.descriptor()
            }
        }
        return characteristic
    }

    private func required(values: ScenarioNode?) -> ScenarioFileError {
        (values ?? self).error("values is an empty list", "one or more values, or no key values")
    }

    private func descriptor() throws(ScenarioFileError) -> SimulatedDescriptor {
        let parts = try parts("uuid", "value", "text", "writable", "protection")
        let uuid = try required("uuid", in: parts).uuid()
        var value = try parts["value"].or([]) { e throws(ScenarioFileError) in try e.bytes(atMost: 512) }
        if let part = parts["text"] {
            if parts["value"] != nil { throw part.error("a descriptor has both text and value", "one of the two") }
            value = Array(try part.text().utf8)
            guard value.count <= 512 else { throw part.error("text has \(value.count) bytes", "at most 512 bytes") }
        }
        return SimulatedDescriptor(
            uuid, value, writable: try parts["writable"].or(false) { e throws(ScenarioFileError) in try e.truth() },
            protection: try parts["protection"].or(.none) { e throws(ScenarioFileError) in try e.protection() })
    }
}

/// The attributes of a peripheral that a file describes, counted before they are built.
///
/// GAP, GATT and the CCCDs are not among them. They are counted when the services are complete.
private struct AttributeCount {
    private let peripheral: String
    private var count = 0

    init(of peripheral: String) { self.peripheral = peripheral }

    /// Counts attributes. Throws at the node of the first one that has no handle.
    mutating func add(_ number: Int, at node: ScenarioNode) throws(ScenarioFileError) {
        count += number
        let most = SimulatedPeripheral.mostAttributes
        guard count <= most else {
            throw node.error("“\(peripheral)” has more than \(most) attributes", "at most \(most), one for each handle")
        }
    }
}
