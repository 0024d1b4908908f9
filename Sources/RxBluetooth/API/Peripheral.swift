public import Rx

/// A Bluetooth device in the role of a peripheral. There is one object for each device of a manager (S46).
///
/// It holds no connection: ``connect(options:)`` makes one, and the subscription to it is the connection.
public final class Peripheral: Sendable {
    /// The device's address. One that is random may belong to another device later.
    public let address: BluetoothAddress
    /// Its number among those that the manager met, for log lines.
    let number: UInt64
    private let adapter: AdapterIdentity
    private weak let access: BlueZAccess?
    let scheduler: (any SchedulerType)?
    private let info: Guarded<Info>
    private let use = Guarded(Use())

    private struct Info {
        var name: String?
        var kind: BluetoothAddress.Kind?
        var mtu: Int?
        var drops: [CharacteristicKey: Int] = [:]
    }

    /// What only few of many peripherals have.
    private struct Use {
        var connection: BehaviorSubject<ConnectionState>?
        var reconnector: Reconnector?
    }

    init(
        _ address: BluetoothAddress, of adapter: AdapterIdentity, kind: BluetoothAddress.Kind?, access: BlueZAccess?,
        number: UInt64
    ) {
        self.address = address
        self.number = number
        self.adapter = adapter
        self.access = access
        scheduler = access?.settings.scheduler
        info = Guarded(Info(name: nil, kind: kind))
    }

    /// Where bluetoothd has the device now: under its adapter's present number (Q28).
    var key: DeviceKey { DeviceKey(adapter: adapter.number, address: address) }

    /// The adapter to which it belongs.
    var adapterSelection: AdapterSelection { adapter.address.map { .address($0) } ?? .named("hci\(adapter.number)") }

    /// The name of the adapter that hears the device and connects to it, for example `hci0`. After that was plugged in again it may be
    /// another (Q28). While it is away the name that it had; nil where another adapter has that now.
    public var adapterName: String? { adapter.number == AdapterIdentity.absent ? nil : "hci\(adapter.number)" }

    /// The address of that adapter; nil where bluetoothd did not tell.
    public var adapterAddress: BluetoothAddress? { adapter.address }

    /// Which kind of address it is; nil where bluetoothd did not tell.
    public var addressKind: BluetoothAddress.Kind? { info.withLock(\.kind) }

    /// The device's name as last heard, from an advertisement or, after a connection, from the device itself; nil while none
    /// is known.
    public var name: String? { info.withLock(\.name) }

    func update(name: String?, kind: BluetoothAddress.Kind?) {
        info.withLock {
            $0.name = name
            $0.kind = kind
        }
    }

    /// Connects.
    ///
    /// Emits the peripheral once it is connected, and does not complete: it fails with
    /// ``BluetoothError/Kind/disconnected(_:)`` when the link is lost, and everything under way over the link fails with the same
    /// cause (S59). Cold: subscribing connects, disposing disconnects. A link that another program made is used and not
    /// closed (Q74), unless the options say otherwise. Fails with ``BluetoothError/Kind/alreadyConnected`` while this manager has a
    /// connection (S32), and with ``BluetoothError/Kind/timedOut`` after ``Deadlines/connect``. An attempt that the
    /// controller gave up is repeated within that time, eight times at most (Q77). While another program connects to the peripheral,
    /// its link is waited for and shared; if its attempt fails, this one follows. If bluetoothd removes the device during an attempt, as
    /// it does with one that does not answer, the device is scanned for, and the attempt is repeated until the deadline.
    ///
    /// With ``ConnectOptions/reconnection`` the connection is made again whenever it is lost. It emits once all the same, when the
    /// services were read for the first time; ``connectionState`` tells each loss with its reason. What was discovered stays
    /// valid. Discovery and notifications wait for the link to come back and go on by themselves (S78); reads and writes
    /// fail when it is lost, for they may have taken effect. It fails with the last error when it is given up.
    /// Source: BlueZ, `device-api.txt`, `Connect`.
    ///
    /// - Parameter options: Whether to connect again, and what to do with a link that is there already. Default: connect
    ///   once, and share it.
    public func connect(options: ConnectOptions = ConnectOptions()) -> Observable<Peripheral> {
        if let reconnection = options.reconnection { return reconnecting(options, reconnection) }
        return link(LinkRequest(existing: options.existingLink))
    }

    func link(_ request: LinkRequest) -> Observable<Peripheral> {
        operation(.connect) { [self] (client, emitter) throws(BluetoothError) in
            try client.links.connect(self, request, emitter)
        }
    }

    /// Closes the link, whoever made it, and completes when it is closed; at once where there is none.
    /// A live ``connect(options:)`` fails with ``BluetoothError/Kind/disconnected(_:)`` for the reason `requested`.
    /// Fails where bluetoothd refuses, and with ``BluetoothError/Kind/timedOut`` where the link is not closed in
    /// ``Deadlines/disconnect`` (S44). Cold; once it is sent, disposing does not take it back.
    /// Source: BlueZ, `device-api.txt`, `Disconnect`.
    public func disconnect() -> Completable {
        stream { [self] (client, emitter: Emitter<Never>) in
            // One that waits for its link to come back has none to close.
            reconnector?.end(BluetoothError(.disconnected(.requested)))
            client.begin(.disconnect, address.description, emitter) { client, emitter in
                client.links.disconnect(self, emitter)
            }
        }
        .asCompletable()
    }

    /// Reads which services the peripheral has.
    ///
    /// Emits one element a service, in the order of their handles, and completes. bluetoothd reads the whole tree after each
    /// connection, and this waits until it has, at most ``Deadlines/services`` (Q70). Fails with
    /// ``BluetoothError/Kind/attributeNotFound`` where services were asked for and none is there,
    /// and with ``BluetoothError/Kind/notConnected`` outside a connection. Cold.
    ///
    /// - Parameter services: The services that are wanted. Default, and empty: all.
    public func discoverServices(_ services: [BluetoothUUID] = []) -> Observable<Service> {
        let discovery: Observable<Service> = stream { [self] client, emitter in
            client.attributes.discoverServices(of: self, services, emitter)
        }
        return resumingAfterReconnect(discovery)
    }

    /// What the largest packet of the present link is, or that there is none.
    func update(mtu: Int?) { info.withLock { $0.mtu = mtu } }

    /// The largest ATT packet of the present link, in bytes: 23 until bluetoothd and the peripheral have agreed on more, and
    /// without a link (S82). ``observeMTU()`` tells its changes. Source: Core Specification 5.4, Vol 3, Part F, 3.2.8.
    public var mtu: Int { info.withLock(\.mtu) ?? Self.smallestMTU }

    /// What fits into a packet of the present link, where bluetoothd has told that.
    var packetLength: Int? { info.withLock(\.mtu).map(Self.payload(of:)) }

    /// Reads how strong the link is received. Emits it once, in dBm: −127 to 20, usually −100 to −30 (S83).
    ///
    /// bluetoothd tells the strength of advertisements only, so the adapter's controller is asked by libbluetooth, which needs
    /// no privilege and sends nothing to the peripheral. Who asks while an answer is awaited gets the same one.
    /// Fails with ``BluetoothError/Kind/notConnected`` outside a connection, with ``BluetoothError/Kind/unsupported`` where the
    /// controller does not tell or the manager was given a bus and no ``HostController``, with
    /// ``BluetoothError/Kind/timedOut`` after ``Deadlines/rssi``, and with the error of the connection when that ends. Cold.
    /// Source: Core Specification 5.4, Vol 4, Part E, 7.5.4.
    public func readRSSI() -> Single<Int> {
        stream { [self] client, emitter in
            emitter.attempt(.readRSSI, address.description) { () throws(BluetoothError) in
                try client.links.live(key).rssiReader.add(emitter)
            }
        }
        .asSingle()
    }

    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        guard let scheduler else { return .error(BluetoothError(.closed)) }
        return undelivered(begin).observe(on: scheduler)
    }

    /// A stream that begins once it is known whether Bluetooth can be used. An error of `begin` fails it, as one of this operation.
    func operation<Element: Sendable>(
        _ operation: BluetoothError.Operation,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) throws(BluetoothError) -> Void
    ) -> Observable<Element> {
        stream { [target = address.description] client, emitter in client.begin(operation, target, emitter, begin) }
    }

    /// Values that come faster than they may be taken.
    func stream(
        within buffer: ValueBuffer, of characteristic: Characteristic,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<[UInt8]>) -> Void
    ) -> Observable<[UInt8]> {
        guard let scheduler else { return .error(BluetoothError(.closed)) }
        let overflow = BluetoothError(.overflow, operation: .notify, target: characteristic.target)
        return undelivered(begin).observe(on: scheduler, within: buffer, overflow: overflow) { [self] in
            let total = info.withLock { info in
                info.drops[characteristic.key, default: 0] += 1
                return info.drops[characteristic.key] ?? 0
            }
            access?.settings.eventLog.debug(.valueDropped(characteristic, total: total))
        }
    }

    private func undelivered<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        BlueZAccess.stream(
            { [weak access] () throws(BluetoothError) in
                guard let access else { throw BluetoothError(.closed) }
                return access
            }, begin)
    }

    /// How many values of a characteristic were lost for want of room.
    func drops(of key: CharacteristicKey) -> Int { info.withLock { $0.drops[key] ?? 0 } }
}

extension Peripheral {
    /// The manager's way to the bus; nil when the manager is gone.
    var present: BlueZAccess? { access }

    /// How the connection stands; made when somebody first looks or connects.
    var connection: BehaviorSubject<ConnectionState> {
        use.withLock { use in
            if let connection = use.connection { return connection }
            let connection = BehaviorSubject(value: ConnectionState.disconnected(nil))
            use.connection = connection
            return connection
        }
    }

    /// The connection has changed.
    func enter(_ state: ConnectionState) {
        let connection = connection
        guard (try? connection.value()) != state else { return }
        access?.settings.eventLog.debug(.connection(self, state))
        connection.onNext(state)
        access?.connectionChanges.onNext(ConnectionChange(peripheral: self, state: state))
    }

    /// Who keeps the peripheral connected, if somebody does.
    var reconnector: Reconnector? { use.withLock(\.reconnector) }

    /// Takes the place of who keeps it connected; false where it is taken.
    func claim(_ reconnector: Reconnector) -> Bool {
        use.withLock { use in
            guard use.reconnector == nil else { return false }
            use.reconnector = reconnector
            return true
        }
    }

    /// Gives that place back; false where it was another's.
    func free(_ reconnector: Reconnector) -> Bool {
        use.withLock { use in
            guard use.reconnector === reconnector else { return false }
            use.reconnector = nil
            return true
        }
    }
}

extension Peripheral: Hashable, CustomStringConvertible {
    /// The address, and the name where one is known.
    public var description: String { name.map { "\(address) “\($0)”" } ?? address.description }

    /// Whether both are the same object, which they are where they are the same device of one manager.
    public static func == (one: Peripheral, other: Peripheral) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
