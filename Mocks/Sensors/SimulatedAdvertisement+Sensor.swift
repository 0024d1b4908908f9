import BluetoothValues

extension SimulatedAdvertisement {
    /// Creates the advertisement of a sensor, which is not connectable by default.
    ///
    /// A format that is recognised by a name, such as Inkbird's, gets this name if the advertisement has none.
    public init(
        _ sensor: SimulatedSensor, every interval: Duration, rssi: Int, jitter: Int = 0, name: String? = nil,
        connectable: Bool = false, txPower: Int8? = nil, services: [String] = [], firstAfter: Duration? = nil
    ) {
        self.init(
            every: interval, rssi: rssi, jitter: jitter, name: name, connectable: connectable, txPower: txPower,
            services: services, firstAfter: firstAfter)
        self.sensor = sensor
    }

    /// Returns the advertisement with the data of a sample of its sensor.
    func sent(from address: DeviceAddress, sample: Int) -> SimulatedAdvertisement {
        guard let payload = sensor?.payload(sample, address: SenderAddress(address.number)) else { return self }
        var sent = self
        switch payload.section.kind {
        case .manufacturer: sent.manufacturerData[payload.section.identifier] = payload.section.bytes
        case .service: sent.serviceData[AttributeUUID(payload.section.identifier).description] = payload.section.bytes
        // No format that can be encoded is an AD structure of its own.
        case .structure: break
        }
        if name == nil, let required = payload.name { sent.name = Array(required.utf8) }
        return sent
    }
}
