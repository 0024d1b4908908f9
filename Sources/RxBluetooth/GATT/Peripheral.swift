public import Rx

/// A Bluetooth device in the role of a peripheral. There is one object for each device of a manager (S46).
///
/// It holds no connection: ``connect()`` makes one, and the subscription to it is the connection.
public final class Peripheral: Sendable {
    let key: DeviceKey
    private weak let access: BlueZAccess?
    private let scheduler: (any SchedulerType)?
    private let info: Guarded<Info>

    private struct Info {
        var name: String?
        var kind: BluetoothAddress.Kind?
        var mtu: Int?
        var drops: [CharacteristicKey: Int] = [:]
    }

    init(key: DeviceKey, kind: BluetoothAddress.Kind?, access: BlueZAccess?) {
        self.key = key
        self.access = access
        scheduler = access?.settings.scheduler
        info = Guarded(Info(name: nil, kind: kind))
    }

    /// The device's address. One that is random may belong to another device later.
    public var address: BluetoothAddress { key.address }

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
    /// error (S59). Cold: subscribing connects, disposing disconnects. A link that another program made is used and not
    /// closed (Q74). Fails with ``BluetoothError/Kind/alreadyConnected`` while this manager has a live
    /// connection (S32), and with ``BluetoothError/Kind/timedOut`` after ``Deadlines/connect``.
    /// Source: BlueZ, `device-api.txt`, `Connect`.
    public func connect() -> Observable<Peripheral> {
        stream { [self] client, emitter in
            client.whenKnown { client in
                guard emitter.isActive else { return }
                client.connect(self, emitter)
            }
        }
    }

    /// Closes the link, whoever made it, and completes when it is closed; at once where there is none.
    /// A live ``connect()`` fails with ``BluetoothError/Kind/disconnected(_:)`` for the reason `requested`.
    /// Fails where bluetoothd refuses, and with ``BluetoothError/Kind/timedOut`` where the link is not closed in
    /// ``Deadlines/disconnect`` (S44). Cold; once it is sent, disposing does not take it back.
    /// Source: BlueZ, `device-api.txt`, `Disconnect`.
    public func disconnect() -> Completable {
        stream { [self] (client, emitter: Emitter<Never>) in
            client.whenKnown { client in
                guard emitter.isActive else { return }
                client.disconnect(self, emitter)
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
        stream { [self] client, emitter in
            client.discoverServices(of: self, services, emitter)
        }
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
        stream { [self] client, emitter in client.readRSSI(of: self, emitter) }.asSingle()
    }

    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        guard let scheduler else { return .error(BluetoothError(.closed)) }
        return undelivered(begin).observe(on: scheduler)
    }

    /// Values that come faster than they may be taken.
    func stream(
        within buffer: ValueBuffer, of characteristic: Characteristic,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<[UInt8]>) -> Void
    ) -> Observable<[UInt8]> {
        guard let scheduler else { return .error(BluetoothError(.closed)) }
        let overflow = BluetoothError(.overflow, operation: .notify, target: characteristic.target)
        return undelivered(begin).observe(on: scheduler, within: buffer, overflow: overflow) { [self] in
            info.withLock { $0.drops[characteristic.key, default: 0] += 1 }
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

extension Peripheral: Hashable, CustomStringConvertible {
    /// The address, and the name where one is known.
    public var description: String { name.map { "\(address) “\($0)”" } ?? address.description }

    /// Whether both are the same object, which they are where they are the same device of one manager.
    public static func == (one: Peripheral, other: Peripheral) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
