// Users import one module. Its streams are Rx's; `.seconds(1)` and queues are Dispatch's.
@_exported public import Dispatch
@_exported public import Rx

/// The entry to Bluetooth: its state, its adapters and scans for peripherals.
///
/// Nothing happens before you subscribe to a stream. Disposing of a subscription undoes what it started. All streams
/// deliver on the scheduler of the ``Configuration``, by default the main queue.
///
/// A manager may be used from any thread. When neither it nor a subscription to one of its streams is kept any more, it
/// closes its connection to the bus.
public final class BluetoothManager: Sendable {
    let access: BlueZAccess
    let selection: AdapterSelection

    init(_ access: BlueZAccess, _ selection: AdapterSelection) {
        self.access = access
        self.selection = selection
    }

    /// The same manager on another adapter, for programs that use several at a time.
    ///
    /// Its ``state``, scans, known and retrieved peripherals and diagnosis are those of that adapter, which may be
    /// plugged in later. Everything else is shared: the connection to the bus, deadlines, pairing, events, and
    /// ``close()``, which closes both.
    ///
    /// A device in range of two adapters is two peripherals, one for each adapter. A failure of one adapter does not
    /// affect the other.
    ///
    /// - Parameter adapter: The adapter.
    public func using(_ adapter: AdapterSelection) -> BluetoothManager { BluetoothManager(access, adapter) }

    // Promises S2 and S3. bluetoothd or the adapter may appear later (Q1, Q26).
    /// Whether Bluetooth can be used: the present state first, then each change.
    ///
    /// It never completes. It fails with ``BluetoothError/Kind/closed`` when the manager is closed, and with no other
    /// error: an absent bluetoothd or adapter is a state, and the stream continues when it appears. The state is hot.
    /// The first subscription opens the bus.
    public var state: Observable<BluetoothState> {
        reports.map { [selection] in $0.state(selection) }.distinctUntilChanged().observe(on: access.settings.scheduler)
    }

    /// The adapters of this machine, ordered by number: the present list first, then each change.
    ///
    /// The list is empty while bluetoothd does not run. The stream never completes, and fails only with
    /// ``BluetoothError/Kind/closed`` when the manager is closed. The list is hot. The first subscription opens the
    /// bus.
    public var adapters: Observable<[Adapter]> {
        reports.map { [selection] in $0.adapters(selection) }.distinctUntilChanged().observe(
            on: access.settings.scheduler)
    }

    private var reports: Observable<ClientReport> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let handle = try access.client()
            // From now on the choice of `.automatic` changes only if it must.
            handle.perform { client in client.onStateKnown { $0.keepChoice(selection) } }
            return access.reports.compactMap { $0 }.do(onDispose: { withExtendedLifetime((access, handle)) {} })
        }
    }

    // Promise S44.
    /// Completes when bluetoothd has replied to every request that disposing has sent.
    ///
    /// Scans are stopped then, links closed and notifications off. It never fails: a request without a reply ends at
    /// its own deadline. Without a bus, it completes at once. Cold.
    public func settled() -> Completable {
        let access = access
        return Completable.create { observer in
            guard let handle = access.present else {
                observer(.completed)
                return Disposables.create()
            }
            handle.perform { client in
                client.teardowns.onIdle { observer(.completed) }
            }
            return Disposables.create()
        }
        // A stream that ends emits its end first and undoes itself next, in one turn of the scheduler.
        // A subscription that follows the end runs after that turn.
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Completes when bluetoothd has received every request that disposing has sent.
    ///
    /// ``settled()`` also waits for the replies. bluetoothd replies to `Disconnect` after 2 s, and a program that ends
    /// need not wait for that. A request that depends on the reply to another one is not included, for example after a
    /// cancelled pairing.
    ///
    /// It never fails, and completes after ``Deadlines/cleanup`` at the latest. Without a bus, it completes at once.
    /// Cold.
    public func delivered() -> Completable {
        let access = access
        return Completable.create { observer in
            guard let handle = access.present else {
                observer(.completed)
                return Disposables.create()
            }
            handle.perform { client in client.afterDelivery { observer(.completed) } }
            return Disposables.create()
        }
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Closes the manager: all its streams fail with ``BluetoothError/Kind/closed``.
    ///
    /// It closes the links that this manager made, and then the connection to the bus, and completes when that is done.
    /// It never fails, and may be called again. Later use of the manager fails with the same error. Cold; disposing
    /// does not undo it.
    public func close() -> Completable {
        let access = access
        return Completable.create { observer in
            access.close { observer(.completed) }
            return Disposables.create()
        }
        .observe(on: access.settings.scheduler)
    }
}

extension BluetoothManager {
    // Promise S89.
    /// The peripherals with these addresses that bluetoothd has now, in the order of the addresses.
    ///
    /// A peripheral that bluetoothd does not have is left out; nothing is scanned. It emits one list, and fails if
    /// Bluetooth cannot be used. Cold.
    ///
    /// - Parameter addresses: The addresses.
    public func retrievePeripherals(withAddresses addresses: [BluetoothAddress]) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            addresses.compactMap { client.mirror.devices[DeviceKey(adapter: adapter, address: $0)]?.peripheral }
        }
    }

    // Promises S33 and S89.
    /// The peripherals that are connected now, by this program or another one, ordered by address.
    ///
    /// The links stay as they are; ``Peripheral/connect(options:)`` shares one. It emits one list, and fails if
    /// Bluetooth cannot be used. Cold.
    ///
    /// - Parameter services: Emit only peripherals that offer one of these services, or have advertised one if their
    ///   services were not read yet. Default, and if empty: all.
    public func retrieveConnectedPeripherals(withServices services: [BluetoothUUID] = []) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            client.mirror.devices.values.filter { $0.key.adapter == adapter && $0.isConnected && $0.offers(services) }
                .sorted { $0.key.address < $1.key.address }
                .compactMap(\.peripheral)
        }
    }

    private func retrieve(
        _ find: @escaping @Sendable (BlueZClient, UInt16) -> [Peripheral]
    ) -> Single<[Peripheral]> {
        access.operation(.readState) { [selection] (client, emitter) throws(BluetoothError) in
            emitter.finish(find(client, try client.chooseAdapter(selection)))
        }
        .asSingle()
    }
}

extension DeviceRecord {
    fileprivate func offers(_ wanted: [BluetoothUUID]) -> Bool {
        let present = isResolved ? services.values.compactMap(\.uuid) : advertisement.serviceUUIDs
        return wanted.isEmpty || wanted.contains(where: present.contains)
    }
}
