public import Rx

/// A Bluetooth LE device in the peripheral role.
///
/// A manager has one object for each device of an adapter, so two peripherals are equal if they are the same object.
/// The object alone does not keep a connection: subscribing to ``connect(options:)`` makes a connection, and disposing
/// ends it. If the manager is deallocated, operations fail with ``BluetoothError/Kind/closed``.
public final class Peripheral: Sendable {
    /// The device's address. A random address may belong to another device later.
    public let address: BluetoothAddress
    /// The number that identifies the peripheral in log lines without addresses.
    let number: UInt64
    private let adapter: AdapterIdentity
    private weak let access: BlueZAccess?
    private let delivery: DeliveryQueue?
    private let info: Guarded<Info>

    /// The smallest values are last, because a crowd has many peripherals.
    private struct Info {
        var name: String?
        var alias: String?
        var connection: BehaviorSubject<ConnectionState>?
        var reconnector: Reconnector?
        var drops: [CharacteristicKey: Int] = [:]
        var mtu: UInt16?
        var kind: BluetoothAddress.Kind?
    }

    init(
        _ address: BluetoothAddress, of adapter: AdapterIdentity, kind: BluetoothAddress.Kind?, access: BlueZAccess?,
        number: UInt64
    ) {
        self.address = address
        self.number = number
        self.adapter = adapter
        self.access = access
        delivery = access?.settings.delivery
        info = Guarded(Info(kind: kind))
    }

    /// The key of the device: its address, and the current number of its adapter (Q28).
    var key: DeviceKey { DeviceKey(adapter: adapter.number, address: address) }

    /// The selection of the peripheral's adapter: by address, or by name if the address is unknown.
    var adapterSelection: AdapterSelection { adapter.address.map { .address($0) } ?? .named("hci\(adapter.number)") }

    /// The name of the peripheral's adapter, for example `hci0`.
    ///
    /// The name may change when the adapter is plugged in again. While the adapter is absent, the value is its last
    /// name, or nil if another adapter has that name now.
    public var adapterName: String? { adapter.number == AdapterIdentity.absent ? nil : "hci\(adapter.number)" }

    /// The address of the peripheral's adapter; nil if bluetoothd does not report it.
    public var adapterAddress: BluetoothAddress? { adapter.address }

    /// Whether ``address`` is public or random; nil if bluetoothd does not report it.
    public var addressKind: BluetoothAddress.Kind? { info.withLock(\.kind) }

    /// The latest name that was advertised or read from the connected device; nil if none is known.
    public var name: String? { info.withLock(\.name) }

    /// The name that a user has given the device on this computer; nil if none has.
    ///
    /// bluetoothd stores it for a device that is paired or trusted. Without such a name, bluetoothd's alias is the
    /// device's ``name`` or address, and this value is nil. Source: BlueZ, `device-api.txt`, `Alias`.
    public var alias: String? { info.withLock(\.alias) }

    func update(name: String?, alias: String?, kind: BluetoothAddress.Kind?) {
        info.withLock {
            $0.name = name
            $0.alias = alias
            $0.kind = kind
        }
    }

    /// Connects to the peripheral.
    ///
    /// Emits the peripheral once when it is connected, and does not complete. When the link is lost, the stream fails
    /// with ``BluetoothError/Kind/disconnected(_:)``, and all operations over the connection fail with the same reason.
    /// Cold: subscribing connects, disposing disconnects. By default, a link that another program made is shared and
    /// left open, see ``ConnectOptions/existingLink``. Delivers on the manager's queue.
    ///
    /// An attempt is repeated in these cases, until ``Deadlines/connect`` has passed:
    /// - If the controller aborts the attempt, it is repeated after 250 ms, at most eight times.
    /// - If another program is connecting to the peripheral, the manager waits for the link of that program and shares
    ///   it. If that program fails, the manager repeats its own attempt.
    /// - If bluetoothd removes the device, or has removed it before, the manager scans for the device and then
    ///   connects.
    ///
    /// With ``ConnectOptions/reconnection``, the manager connects again after each link loss until the policy gives up;
    /// then the stream fails with the last error. The stream emits only once, when the services were read for the first
    /// time. ``connectionState`` reports each loss and its reason. Discovered attributes stay valid. Discovery and
    /// notifications wait for the next link and continue. Reads and writes fail, because they may have taken effect.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/alreadyConnected`` if this manager has a connection to the peripheral.
    /// - ``BluetoothError/Kind/timedOut`` if the peripheral is not connected within ``Deadlines/connect``.
    /// - ``BluetoothError/Kind/connectFailed(_:)``, ``BluetoothError/Kind/noFreeSlot``,
    ///   ``BluetoothError/Kind/bondLost`` or a similar error if bluetoothd cannot connect.
    /// - ``BluetoothError/Kind/peripheralGone`` if bluetoothd has removed the peripheral, and a scan does not find it
    ///   within ``Deadlines/connect``.
    /// - ``BluetoothError/Kind/poweredOff``, ``BluetoothError/Kind/daemonUnavailable`` or a similar error if Bluetooth
    ///   cannot be used.
    ///
    /// Source: BlueZ, `device-api.txt`, `Connect`.
    ///
    /// - Parameter options: Whether to reconnect, and what to do with an existing link. Default: no reconnection, and
    ///   an existing link is shared.
    public func connect(options: ConnectOptions = ConnectOptions()) -> Observable<Peripheral> {
        connect(options, addressKind: nil)
    }

    /// Connects to the peripheral. With a kind of address, bluetoothd need not have the device.
    func connect(_ options: ConnectOptions, addressKind: BluetoothAddress.Kind?) -> Observable<Peripheral> {
        if let reconnection = options.reconnection { return reconnecting(options, reconnection, addressKind) }
        return link(
            LinkRequest(existing: options.existingLink, keepsOpen: options.keepsLinkOpen, addressKind: addressKind))
    }

    /// Connects once, without reconnection.
    func link(_ request: LinkRequest) -> Observable<Peripheral> {
        operation(.connect) { [self] (client, emitter) throws(BluetoothError) in
            client.deviceSignals.onConnectionKnown(of: key) { [self, weak client] in
                emitter.attempt(.connect, address.description) { () throws(BluetoothError) in
                    guard let client else { throw BluetoothError(.closed) }
                    try client.links.connect(self, request, emitter)
                }
            }
        }
    }

    /// Closes the link to the peripheral, even if another program made it.
    ///
    /// Completes when the link is closed, and at once if there is no link. The stream of ``connect(options:)`` fails
    /// with ``BluetoothError/Kind/disconnected(_:)`` and the reason ``BluetoothError/DisconnectReason/requested``, and
    /// does not reconnect. Cold; disposing does not cancel a disconnection that has started. Delivers on the manager's
    /// queue.
    ///
    /// Fails if bluetoothd refuses. Fails with ``BluetoothError/Kind/timedOut`` if bluetoothd does not reply within
    /// ``Deadlines/disconnect``, or still shows the link after this time has passed again. Source: BlueZ,
    /// `device-api.txt`, `Disconnect`.
    public func disconnect() -> Completable {
        stream { [self] (client, emitter: Emitter<Never>) in
            // Ends the reconnection explicitly, because between two links there is no link to close.
            reconnector?.end(BluetoothError(.disconnected(.requested)))
            client.begin(.disconnect, address.description, emitter) { client, emitter in
                client.links.disconnect(self, emitter)
            }
        }
        .asCompletable()
    }

    /// Discovers the services of the connected peripheral.
    ///
    /// Emits one element for each service, in the order of the handles, then completes. bluetoothd reads all services
    /// after it connects; discovery waits for bluetoothd and sends no request. Cold. With
    /// ``ConnectOptions/reconnection``, discovery starts again after link loss. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/attributeNotFound`` if none of the requested services exists.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not read the services within ``Deadlines/services``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// - Parameter services: The UUIDs to discover. Default: empty, all services.
    public func discoverServices(_ services: [BluetoothUUID] = []) -> Observable<Service> {
        let discovery: Observable<Service> = stream { [self] client, emitter in
            client.attributes.discoverServices(of: self, services, emitter)
        }
        return resumingAfterReconnect(discovery)
    }

    /// Stores the MTU of the link; nil if there is no link.
    func update(mtu: Int?) { info.withLock { $0.mtu = mtu.map(UInt16.init(clamping:)) } }

    /// The ATT MTU of the current link in bytes.
    ///
    /// The value is 23 without a link, and until bluetoothd reports a larger MTU, which it does after it has read the
    /// services. ``readMTU()`` waits for that, and ``observeMTU()`` emits the changes.
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.2.8.
    public var mtu: Int { info.withLock(\.mtu).map(Int.init) ?? Self.smallestMTU }

    /// The number of value bytes that fit into a packet of the link; nil if the MTU is not known.
    var packetLength: Int? { info.withLock(\.mtu).map { Self.payload(of: Int($0)) } }

    /// Reads the RSSI of the link in dBm, from −127 to 20, usually −100 to −30.
    ///
    /// Emits the RSSI once. The value comes from the adapter's controller, because bluetoothd reports only the RSSI of
    /// advertisements. No privilege is needed, and nothing is sent to the peripheral. Cold; subscriptions during a read
    /// share its result. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    /// - ``BluetoothError/Kind/unsupported`` if the controller cannot read the RSSI, or the manager was created without
    ///   a ``HostController``.
    /// - ``BluetoothError/Kind/timedOut`` if the controller does not answer within ``Deadlines/rssi``.
    ///
    /// Source: Core Specification 5.4, Vol 4, Part E, 7.5.4.
    public func readRSSI() -> Single<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.readRSSI, address.description) { () throws(BluetoothError) in
                try client.links.live(key).rssiRequests.add(emitter)
            }
        }
        .asSingle()
    }

    /// Returns a stream that runs `begin` in the bus context and delivers on the manager's scheduler.
    func stream<Element: Sendable>(
        within buffer: DeliveryBuffer<Element> = .unlimited,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        guard let delivery else { return .error(BluetoothError(.closed)) }
        return BlueZAccess.stream(
            by: delivery, within: buffer,
            { [weak access] () throws(BluetoothError) in
                guard let access else { throw BluetoothError(.closed) }
                return access
            }, begin)
    }

    /// Returns a stream that runs `begin` as soon as it is known whether Bluetooth can be used.
    ///
    /// If `begin` throws, the stream fails with that error, which names the operation and the peripheral.
    func operation<Element: Sendable>(
        _ operation: BluetoothError.Operation,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) throws(BluetoothError) -> Void
    ) -> Observable<Element> {
        stream { [target = address.description] client, emitter in client.begin(operation, target, emitter, begin) }
    }

    /// Returns a stream of a characteristic's values, with a bounded buffer before the subscriber.
    func stream(
        within buffer: ValueBuffer, of characteristic: Characteristic,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<[UInt8]>) -> Void
    ) -> Observable<[UInt8]> {
        let overflow: DeliveryBuffer<[UInt8]>.Overflow =
            switch buffer.overflow {
            case .fail: .fail(BluetoothError(.overflow, operation: .notify, target: characteristic.target))
            case .dropOldest: .dropOldest
            case .dropNewest: .dropNewest
            }
        let buffer = DeliveryBuffer<[UInt8]>(capacity: buffer.capacity, overflow: overflow) { [self] count in
            let total = info.withLock { info in
                info.drops[characteristic.key, default: 0] += count
                return info.drops[characteristic.key] ?? 0
            }
            access?.settings.eventLog.debug(.valueDropped(characteristic, total: total))
        }
        return stream(within: buffer, begin)
    }

    /// Returns the number of values of a characteristic that were lost because a buffer was full.
    func drops(of key: CharacteristicKey) -> Int { info.withLock { $0.drops[key] ?? 0 } }
}

extension Peripheral {
    /// The manager's access to bluetoothd; nil if the manager is deallocated.
    var present: BlueZAccess? { access }

    /// Decodes advertisements with the keys of the manager; nil if the manager is deallocated.
    var sensorReader: SensorReader? { access?.settings.sensors }

    /// The subject of the connection state, which is created on first use.
    var connection: BehaviorSubject<ConnectionState> {
        info.withLock { info in
            if let connection = info.connection { return connection }
            let connection = BehaviorSubject(value: ConnectionState.disconnected(nil))
            info.connection = connection
            return connection
        }
    }

    /// Returns a stream that fails on the manager's scheduler.
    func failed<Element>(_ error: BluetoothError) -> Observable<Element> {
        delivery.map { .error(error).observe(on: $0.scheduler) } ?? .error(error)
    }

    /// Sets the connection state, and emits and logs a change.
    func enter(_ state: ConnectionState) {
        let connection = connection
        guard (try? connection.value()) != state else { return }
        access?.settings.eventLog.debug(.connection(self, state))
        connection.onNext(state)
        access?.connectionChanges.onNext(ConnectionChange(peripheral: self, state: state))
    }

    /// The object that connects again after each link loss; nil without reconnection.
    var reconnector: Reconnector? { info.withLock(\.reconnector) }

    /// Sets the reconnector. Returns false if there is a reconnector already.
    func claim(_ reconnector: Reconnector) -> Bool {
        info.withLock { info in
            guard info.reconnector == nil else { return false }
            info.reconnector = reconnector
            return true
        }
    }

    /// Removes a reconnector. Returns false if it is not the current reconnector.
    func free(_ reconnector: Reconnector) -> Bool {
        info.withLock { info in
            guard info.reconnector === reconnector else { return false }
            info.reconnector = nil
            return true
        }
    }
}

extension Peripheral: Hashable, CustomStringConvertible {
    /// The address, followed by the name if one is known.
    public var description: String { name.map { "\(address) “\($0)”" } ?? address.description }

    /// Returns whether both are the same object.
    public static func == (one: Peripheral, other: Peripheral) -> Bool { one === other }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Peripheral {
    /// Makes a peripheral without a manager, for tests of code that receives peripherals.
    ///
    /// All its operations fail with ``BluetoothError/Kind/closed``, and it belongs to no adapter.
    ///
    /// - Parameters:
    ///   - address: The address of the peripheral.
    ///   - name: The name of the peripheral. Default: none.
    public convenience init(address: BluetoothAddress, name: String? = nil) {
        let absent = AdapterIdentity(number: AdapterIdentity.absent, address: nil)
        self.init(address, of: absent, kind: nil, access: nil, number: 0)
        update(name: name, alias: nil, kind: nil)
    }
}
