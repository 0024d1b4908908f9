public import Rx

// MARK: - Services, name and battery level
extension Peripheral {
    /// Observes changes of the peripheral's services, for example after a firmware update.
    ///
    /// Emits the services that are no longer valid, or an empty list if services were only added. Operations on invalid
    /// services and their attributes fail with ``BluetoothError/Kind/attributeNotFound``, even if a new service has the
    /// same UUID. All other services stay valid. ``discoverServices(_:)`` emits the new services.
    ///
    /// Never completes. Fails with ``BluetoothError/Kind/notConnected`` without a connection, and with the error of the
    /// connection when it ends. Cold. Delivers on the manager's queue.
    public func observeModifiedServices() -> Observable<[Service]> {
        stream { [self] client, emitter in
            emitter.attempt(.discover, address.description) { () throws(BluetoothError) in
                try client.links.live(key).modifications.observe(emitter)
            }
        }
    }

    /// Observes the name of the connected peripheral.
    ///
    /// Emits the current ``name``, then each change, and never completes. The element is nil if no name is known. No
    /// request is sent. Cold. Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/notConnected`` without a connection, and with the error of the connection when
    /// it ends. Source: BlueZ, `device-api.txt`, `Name`.
    public func observeName() -> Observable<String?> {
        stream { [self] client, emitter in
            emitter.attempt(.readState, "the name of \(address)") { () throws(BluetoothError) in
                try client.links.live(key).name.observe(emitter)
            }
        }
    }

    /// Observes the battery level in percent, from 0 to 100.
    ///
    /// Emits the current level, then each change, and never completes. The level comes from bluetoothd's
    /// `org.bluez.Battery1`. If bluetoothd also shows the characteristic Battery Level (2A19), its value is read and
    /// its notifications are turned on, so that a level is available at once. Cold; disposing turns the notifications
    /// off. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/unsupported`` if there is neither the characteristic nor a level within
    ///   ``Deadlines/services``.
    /// - The errors of ``Characteristic/readValue(options:)``, if the characteristic cannot be read.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
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

    /// Observes the level that bluetoothd reports.
    ///
    /// - Parameters:
    ///   - isCertain: Whether a level is certain to arrive, so that the stream needs no deadline.
    ///   - ofService: Whether only the level of a battery service counts. Without such a service, the stream fails at
    ///     once.
    func batteryLevel(isCertain: Bool, ofService: Bool = false) -> Observable<Int> {
        stream { [self] client, emitter in
            let target = "the battery level of \(address)"
            emitter.attempt(.read, target) { () throws(BluetoothError) in
                let deadline = isCertain ? nil : client.settings.deadlines.services
                let battery = try client.links.live(key).battery
                if ofService, battery.isAbsent { throw battery.absence(of: target, during: .read) }
                battery.observe(emitter, deadline: deadline)
            }
        }
    }
}

extension Peripheral {
    // Promise S82, see docs/promises.md.
    /// Reads the ATT MTU of the link, as soon as bluetoothd knows it.
    ///
    /// Emits the MTU in bytes once: 23 or more. bluetoothd reports the MTU after it has read the services, and before
    /// 5.62 never, so the value is then 23. Nothing is sent to the peripheral. Cold. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not read the services within ``Deadlines/services``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.2.8.
    public func readMTU() -> Single<Int> { readMTU(within: { _ in nil }) }

    /// Reads the MTU. After the time limit, it is the present one.
    func readMTU(within limit: @escaping @Sendable (Deadlines) -> Duration?) -> Single<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.readState, "the MTU of \(address)") { () throws(BluetoothError) in
                try client.links.live(key).mtu.read(emitter, within: limit(client.settings.deadlines))
            }
        }
        .asSingle()
    }
}

extension Characteristic {
    /// Reads the value of a Battery Level characteristic, then observes the notified values.
    fileprivate func percentage() -> Observable<Int> {
        let updates = updates == nil ? .empty() : observeValueUpdates(buffer: Self.latest)
        // Ignores that notifications are refused: bluetoothd may reserve them, and reports the level by itself (Q109).
        let tolerant: Observable<[UInt8]> = updates.catch { error in
            switch (error as? BluetoothError)?.kind {
            case .refused, .notPermitted, .exclusiveUse, .unsupported, .busy, .attError: .empty()
            default: .error(error)
            }
        }
        let values: Observable<[UInt8]> = .concat([readValue().asObservable(), tolerant])
        return values.compactMap { value in value.first.flatMap { $0 <= 100 ? Int($0) : nil } }
    }

    private static let latest = ValueBuffer(capacity: 1, overflow: .dropOldest)
}

// MARK: - MTU
extension Peripheral {
    /// The ATT MTU at the beginning of every LE link, which is also the smallest MTU: 23 bytes.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.2.8.
    public static let smallestMTU = 23

    /// Observes the ATT MTU of the connection in bytes.
    ///
    /// Emits the current MTU, then each change, and never completes. The MTU is 23 until bluetoothd and the peripheral
    /// have negotiated a larger MTU. BlueZ before 5.62 does not report the MTU, so the value stays 23. No request is
    /// sent. Cold. Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/notConnected`` without a connection, and with the error of the connection when
    /// it ends. Source: BlueZ, `gatt-api.txt`, `MTU`.
    public func observeMTU() -> Observable<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.readState, "the MTU of \(address)") { () throws(BluetoothError) in
                try client.links.live(key).mtu.observe(emitter)
            }
        }
    }

    /// The maximum length in bytes of one write over the current link.
    ///
    /// Without response, the maximum is one packet: ``mtu`` − 3, at most 512. While bluetoothd has not reported the
    /// MTU, this is 20, although `writeValue` also sends longer values then. With response, the maximum is always 512,
    /// because bluetoothd sends a value longer than one packet in parts.
    ///
    /// - Parameter type: Whether the peripheral confirms the write.
    public func maximumWriteValueLength(for type: Characteristic.WriteType) -> Int {
        switch type {
        case .withResponse: Characteristic.longestValue
        case .withoutResponse: Self.payload(of: mtu)
        }
    }

    /// Returns the number of value bytes in a packet, after one byte of opcode and two of handle.
    static func payload(of mtu: Int) -> Int { min(Characteristic.longestValue, mtu - 3) }
}
