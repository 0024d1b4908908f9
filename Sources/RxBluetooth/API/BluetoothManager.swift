// Re-exports what the API uses, so that users import one module: streams (Rx), queues and `.seconds(1)` (Dispatch),
// and types of advertisements and characteristics (BluetoothValues).
@_exported public import BluetoothValues
@_exported public import Dispatch
@_exported public import Rx

/// The entry point of the library: the state of Bluetooth, the adapters, and scans for peripherals.
///
/// Nothing happens before you subscribe to a stream. Disposing of a subscription undoes what the subscription started.
/// All streams deliver on the scheduler of the ``Configuration``, by default the main queue.
///
/// A manager may be used from any thread. Its connection to the bus closes when the manager and all subscriptions to
/// its streams are released.
public final class BluetoothManager: Sendable {
    let access: BlueZAccess
    let selection: AdapterSelection

    init(_ access: BlueZAccess, _ selection: AdapterSelection) {
        self.access = access
        self.selection = selection
    }

    /// Returns a manager for another adapter, for programs that use several adapters at a time.
    ///
    /// The ``state``, scans, peripherals and diagnosis of the returned manager are those of the given adapter. The
    /// adapter may be plugged in later. Both managers share everything else: the connection to the bus, deadlines,
    /// pairing and events. ``close()`` of either manager closes both.
    ///
    /// A device in range of two adapters is two peripherals, one for each adapter. A failure of one adapter does not
    /// affect the other adapter.
    ///
    /// - Parameter adapter: The adapter to work with.
    public func using(_ adapter: AdapterSelection) -> BluetoothManager { BluetoothManager(access, adapter) }

    // Promises S2 and S3, see docs/promises.md. bluetoothd or the adapter may appear later (Q1, Q26).
    /// Whether Bluetooth can be used, and the reason if it cannot.
    ///
    /// Emits the present state first, as soon as bluetoothd has listed its objects or certainly cannot, then each
    /// change, and never completes. An absent bluetoothd or adapter is a
    /// state, not an error: the stream continues when bluetoothd or the adapter appears. Fails only with
    /// ``BluetoothError/Kind/closed``, when the manager is closed. Hot; the first subscription opens the bus.
    public var state: Observable<BluetoothState> {
        reports.map { [selection] in $0.state(selection) }.distinctUntilChanged().observe(on: access.settings.scheduler)
    }

    // Promise S133, see docs/promises.md.
    /// Why Bluetooth cannot be used; nil if it can be used.
    ///
    /// Emits the present value first, as soon as bluetoothd has listed its objects or certainly cannot, then each
    /// change, and never completes. The error is that of operations in the
    /// present ``state``. In contrast to the state, it distinguishes a bluetoothd that does not run from one that does
    /// not reply: the latter has a ``BluetoothError/detail``. Fails only with ``BluetoothError/Kind/closed``, when the
    /// manager is closed. Hot; the first subscription opens the bus. Delivers on the manager's queue.
    public var obstacle: Observable<BluetoothError?> {
        reports.map { [selection] in $0.error(selection) }.distinctUntilChanged()
            .observe(on: access.settings.scheduler)
    }

    // Promise S140, see docs/promises.md.
    /// The version of the running bluetoothd; nil while it is not known.
    ///
    /// Emits the present value first, as soon as bluetoothd has listed its objects or certainly cannot, then each
    /// change, and never completes. The value is nil while bluetoothd does not run, before it has shown an adapter, and
    /// if `DeviceID` is set in `main.conf`. A distribution may have repaired known defects of the version without
    /// changing the number. Fails only with ``BluetoothError/Kind/closed``, when the manager is closed. Hot; the first
    /// subscription opens the bus. Delivers on the manager's queue. Source: BlueZ, `Modalias` of `org.bluez.Adapter1`.
    public var daemonVersion: Observable<BlueZVersion?> {
        reports.map(\.daemonVersion).distinctUntilChanged().observe(on: access.settings.scheduler)
    }

    /// The adapters of this machine, ordered by number.
    ///
    /// Emits the present list first, then each change, and never completes. The list is empty while bluetoothd does not
    /// run. Fails only with ``BluetoothError/Kind/closed``, when the manager is closed. Hot; the first subscription
    /// opens the bus.
    public var adapters: Observable<[Adapter]> {
        reports.map { [selection] in $0.adapters(selection) }.distinctUntilChanged().observe(
            on: access.settings.scheduler)
    }

    /// The reports of the client; subscribing opens the bus, and keeps the manager alive.
    var reports: Observable<ClientReport> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let handle = try access.client()
            // Keeps the adapter that `.automatic` chooses, so that it does not change without need.
            handle.perform { client in client.onStateKnown { $0.keepChoice(selection) } }
            return access.reports.compactMap { $0 }.do(onDispose: { withExtendedLifetime((access, handle)) {} })
        }
    }

    // Promise S44, see docs/promises.md.
    /// Waits until bluetoothd has replied to every request that disposing has sent.
    ///
    /// When the stream completes, scans have stopped, links are closed and notifications are off, unless a request had
    /// no reply before its own deadline. Never fails. Without a bus, the stream completes at once. Cold.
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
        // Subscribes in a later turn of the scheduler. A stream that fails or completes emits that event first, and
        // sends its teardown requests afterwards in the same turn.
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Waits until bluetoothd has received every request that disposing has sent.
    ///
    /// Use it at the end of a program instead of ``settled()``, which also waits for the replies: bluetoothd replies to
    /// `Disconnect` only after 2 s. Requests that are sent after the reply to another request are not included, for
    /// example those that follow a cancelled pairing.
    ///
    /// If an operation waited for a pairing when its link was lost, also waits until its attribute is free again; see
    /// <doc:PairingDevices>. If an operation has no reply when its link is closed, waits until bluetoothd has replied
    /// or has closed the link, because bluetoothd may have lost the operation.
    ///
    /// Never fails. Apart from that, completes after ``Deadlines/cleanup`` at the latest. Without a bus, the stream
    /// completes at once. Cold.
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

    /// Closes the manager, the links that it made, and its connection to the bus.
    ///
    /// Completes when the links and then the bus are closed, and never fails. May be called again. Cold; disposing does
    /// not stop the closing.
    ///
    /// Streams in progress fail with ``BluetoothError/Kind/closed``, unless they end first. Later use of the manager
    /// fails with the same error. These streams do not fail:
    /// - ``connectionChanges``, ``events`` and ``Peripheral/connectionState`` emit nothing more after the links are
    ///   closed, and do not end. A loop over one of them does not end either, so dispose of it or cancel its task.
    /// - ``settled()`` and ``delivered()`` complete.
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
    // Promise S89, see docs/promises.md.
    /// Lists the peripherals with the given addresses that bluetoothd knows, without scanning.
    ///
    /// Emits one list, in the order of the addresses. It omits peripherals that bluetoothd does not know. Fails if
    /// Bluetooth cannot be used. Cold.
    ///
    /// - Parameter addresses: The addresses of the peripherals.
    public func retrievePeripherals(withAddresses addresses: [BluetoothAddress]) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            addresses.compactMap { client.mirror.devices[DeviceKey(adapter: adapter, address: $0)]?.peripheral }
        }
    }

    // Promises S33 and S89, see docs/promises.md.
    /// Lists the peripherals that this program or another program has connected, ordered by address.
    ///
    /// Emits one list. The links do not change; to use a link, share it with ``Peripheral/connect(options:)``. Fails if
    /// Bluetooth cannot be used. Cold.
    ///
    /// - Parameter services: Only peripherals that offer at least one of these services are listed. If the services of
    ///   a peripheral were not read yet, its advertised services count. Default: empty, all peripherals.
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
    /// Whether the device offers at least one of the services, or none is requested.
    fileprivate func offers(_ wanted: [BluetoothUUID]) -> Bool {
        let present = isResolved ? services.values.compactMap(\.uuid) : advertisement.serviceUUIDs
        return wanted.isEmpty || wanted.contains(where: present.contains)
    }
}
