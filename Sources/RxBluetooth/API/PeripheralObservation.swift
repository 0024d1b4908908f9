public import Rx

/// What changes while a peripheral is connected.
extension Peripheral {
    /// Tells when the peripheral changes its services while it is connected, as after an update of its firmware (S53, Q111).
    ///
    /// Emits the services that are no longer valid: operations on them and on what is in them fail with
    /// ``BluetoothError/Kind/attributeNotFound``, also where a new one looks the same. All others stay valid. An empty list
    /// says that services were added. After either, ``discoverServices(_:)`` tells what there is. Never completes; fails with
    /// ``BluetoothError/Kind/notConnected`` outside a connection, and with the error of the connection when that ends. Cold.
    public func observeModifiedServices() -> Observable<[Service]> {
        stream { [self] client, emitter in
            emitter.attempt(.discover, address.description) { () throws(BluetoothError) in
                try client.links.live(key).modifications.observe(emitter)
            }
        }
    }

    /// Tells the charge of the peripheral's battery, in percent from 0 to 100.
    ///
    /// Emits the present level, then each change, and never completes. bluetoothd follows the battery level by itself and shows
    /// it as `org.bluez.Battery1`; where it shows the characteristic (2A19) too, that is read and its notifications are followed, so that a
    /// level comes at once. Fails with ``BluetoothError/Kind/unsupported`` where neither has told a level
    /// within ``Deadlines/services``, with the error of the read, and with that of the connection when that ends. Cold.
    /// Source: BlueZ, `battery-api.txt`; Battery Service 1.1.
    public func observeBatteryLevel() -> Observable<Int> {
        discoverServices()
            .filter { $0.uuid == 0x180F }
            .concatMap { $0.discoverCharacteristics() }
            .filter { $0.uuid == 0x2A19 }
            .take(1)
            .toArray()
            .asObservable()
            .flatMap { [self] found in
                guard let level = found.first else { return batteryLevel(isCertain: false) }
                return .merge(batteryLevel(isCertain: true), level.percentage())
            }
            .distinctUntilChanged()
    }

    private func batteryLevel(isCertain: Bool) -> Observable<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.read, "the battery level of \(address)") { () throws(BluetoothError) in
                let deadline = isCertain ? nil : client.settings.deadlines.services
                try client.links.live(key).battery.observe(emitter, deadline: deadline)
            }
        }
    }
}

extension Characteristic {
    /// The levels that a characteristic tells, read once and then as they are notified.
    fileprivate func percentage() -> Observable<Int> {
        let updates = updates == nil ? .empty() : observeValueUpdates(buffer: Self.latest)
        // bluetoothd may keep the notifications of what it follows itself; it tells the changes then (Q109).
        let tolerant: Observable<[UInt8]> = updates.catch { error in
            switch (error as? BluetoothError)?.kind {
            case .notAuthorized, .notPermitted, .exclusiveUse, .unsupported, .busy, .attError: .empty()
            default: .error(error)
            }
        }
        let values: Observable<[UInt8]> = .concat([readValue().asObservable(), tolerant])
        return values.compactMap { value in value.first.flatMap { $0 <= 100 ? Int($0) : nil } }
    }

    private static let latest = ValueBuffer(capacity: 1, overflow: .dropOldest)
}

/// How much fits into a packet.
extension Peripheral {
    /// The smallest MTU, which every LE link has to begin with: 23 bytes.
    public static let smallestMTU = 23

    /// Tells the largest ATT packet of the connection, in bytes: 23 until bluetoothd and the peripheral have agreed on more
    /// (S82).
    ///
    /// Emits the present one first, then each change, and never completes. Fails with ``BluetoothError/Kind/notConnected`` outside
    /// a connection, and with the error of the connection when that ends; an operation that fails does not concern it. Cold; nothing is
    /// sent for it. Source: BlueZ, `gatt-api.txt`, `MTU`, from 5.62 on; before, it stays 23 (Q101).
    public func observeMTU() -> Observable<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.readState, "the MTU of \(address)") { () throws(BluetoothError) in
                try client.links.live(key).mtu.observe(emitter)
            }
        }
    }

    /// The most bytes that one ``Characteristic/writeValue(_:type:)`` takes over the present link: for writes without response
    /// what fits into one packet, which is ``mtu`` less 3 and at most 512; for writes with response always 512, for bluetoothd sends
    /// these in parts (Q99).
    public func maximumWriteValueLength(for type: Characteristic.WriteType) -> Int {
        switch type {
        case .withResponse: Characteristic.longestValue
        case .withoutResponse: Self.payload(of: mtu)
        }
    }

    /// What a packet holds beside its three bytes of opcode and handle.
    static func payload(of mtu: Int) -> Int { min(Characteristic.longestValue, mtu - 3) }
}
