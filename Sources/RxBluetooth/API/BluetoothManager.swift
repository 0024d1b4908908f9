// Users import one module: its streams are Rx's, and so is the vocabulary to work with them; times and queues are
// Dispatch's, so that `.seconds(1)` works without another import.
@_exported public import Dispatch
@_exported public import Rx

/// The way to Bluetooth: its state, scans, and from these to peripherals.
///
/// Nothing happens before a stream is subscribed to; disposing of a subscription undoes what it started. Elements, errors
/// and completions are delivered on the queue that the manager was made with. A manager may be used from any
/// thread. It lives as long as it, or a subscription to one of its streams, is kept; then its connection to
/// the bus is closed.
public final class BluetoothManager: Sendable {
    let access: BlueZAccess
    /// With which adapter it works.
    let selection: AdapterSelection

    init(_ access: BlueZAccess, _ selection: AdapterSelection) {
        self.access = access
        self.selection = selection
    }

    /// This manager with another adapter, for programs that work with several at a time.
    ///
    /// Its ``state``, scans, known and retrieved peripherals and diagnosis are those of that adapter, which may be plugged in later.
    /// Everything else is shared: the connection to the bus, deadlines, pairing, events, and ``close()``, which
    /// ends both. A device that two adapters hear is two peripherals, each of its adapter; what goes on over one adapter
    /// is not disturbed by what happens to another.
    public func using(_ adapter: AdapterSelection) -> BluetoothManager { BluetoothManager(access, adapter) }

    /// Whether Bluetooth can be used: the present state first, then each change (S2, S3).
    ///
    /// Never completes, and fails only when the manager is closed: a bluetoothd or an adapter that is not there is a state,
    /// and the stream goes on when it comes (Q1, Q26). Hot as to the state, cold as to the connection to the bus, which the
    /// first subscription opens.
    public var state: Observable<BluetoothState> {
        reports.map { [selection] in $0.state(selection) }.distinctUntilChanged().observe(on: access.settings.scheduler)
    }

    /// The machine's adapters by number: the present ones first, then each change. An empty list while bluetoothd does
    /// not run. Never completes, and fails only when the manager is closed.
    public var adapters: Observable<[Adapter]> {
        reports.map { [selection] in $0.adapters(selection) }.distinctUntilChanged().observe(
            on: access.settings.scheduler)
    }

    private var reports: Observable<ClientReport> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let handle = try access.client()
            // What is chosen once is kept.
            handle.perform { client in client.onStateKnown { $0.keepChoice(selection) } }
            return access.reports.compactMap { $0 }.do(onDispose: { withExtendedLifetime((access, handle)) {} })
        }
    }

    /// Completes when everything that disposing has set going has been answered by bluetoothd: scans stopped,
    /// links closed, notifications off (S44). Never fails; what is not answered ends by its own deadline.
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
        // A stream that ends tells so first and undoes itself next, both in one turn where it delivers. Who awaits the
        // end and asks then is behind that turn.
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Completes when bluetoothd has received every request that disposing has sent, without waiting for its answers.
    ///
    /// ``settled()`` waits for the answers too. bluetoothd answers `Disconnect` 2 s after it has received it; a program that ends
    /// need not wait for that. A request that depends on another answer, as after a pairing that is called off, is not included.
    /// Completes at once without a bus, fails never, and waits ``Deadlines/cleanup`` at most. Cold.
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

    /// Ends everything: what is under way fails with ``BluetoothError/Kind/closed``, links that this manager made are
    /// closed, and then its connection to the bus. Completes when that is done, however often it is asked. Later use fails
    /// with the same error. It begins when it is subscribed to, and disposing does not take it back.
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
    /// The peripherals with these addresses that bluetoothd knows now, in the order of the addresses (S89). One that it does not
    /// know is left out; nothing is scanned for. Fails when Bluetooth cannot be used.
    public func retrievePeripherals(withAddresses addresses: [BluetoothAddress]) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            addresses.compactMap { client.mirror.devices[DeviceKey(adapter: adapter, address: $0)]?.peripheral }
        }
    }

    /// The peripherals that are connected now, by this program or another, by address (S33, S89). Their links are theirs;
    /// ``Peripheral/connect(options:)`` shares one. Fails when Bluetooth cannot be used.
    ///
    /// - Parameter services: Only peripherals that offer one of these, or where their services are not read yet, advertised one.
    ///   Default, and empty: all.
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
