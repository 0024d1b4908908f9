public import Rx

/// A writer that sends a stream of writes without response to one characteristic.
///
/// ``Characteristic/acquireWrite(options:)`` emits the writer. No other program can write the characteristic until the
/// subscription to `acquireWrite()` ends.
public final class CharacteristicWriter: Sendable {
    /// The characteristic that is written.
    public let characteristic: Characteristic
    /// The maximum length of one write in bytes: one packet, at most 512.
    public let maximumLength: Int
    private let socket: Confined<WriteSocket>

    init(_ characteristic: Characteristic, maximumLength: Int, socket: Confined<WriteSocket>) {
        self.characteristic = characteristic
        self.maximumLength = maximumLength
        self.socket = socket
    }

    /// Writes one value without response.
    ///
    /// Completes when the value is in the socket to bluetoothd. If the socket is full, the write waits until it has
    /// room. The peripheral does not confirm the write. Writes keep the order of their subscriptions. Cold: each
    /// subscription writes once, and disposing removes a write that still waits. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` for an empty value and for more than ``maximumLength`` bytes, because
    ///   bluetoothd would discard such values.
    /// - ``BluetoothError/Kind/closed`` if the subscription to ``Characteristic/acquireWrite(options:)`` has ended.
    /// - ``BluetoothError/Kind/bluez`` if bluetoothd has closed the socket.
    /// - The error of the connection when it ends.
    public func write(_ value: [UInt8]) -> Completable {
        characteristic.peripheral.stream { [self] (client, emitter: Emitter<Never>) in
            guard (1...maximumLength).contains(value.count) else {
                let text = "The value has \(value.count) bytes, and a packet takes 1 to \(maximumLength)"
                return emitter.fail(
                    BluetoothError(
                        .invalidArgument, operation: .write, target: characteristic.target, detail: text))
            }
            guard let socket = socket.value(in: client.bus) else {
                return emitter.fail(
                    BluetoothError(.disconnected(.bus), operation: .write, target: characteristic.target))
            }
            socket.write(value, emitter)
        }
        .asCompletable()
    }
}

extension Characteristic {
    /// Acquires the characteristic for a stream of writes without response.
    ///
    /// The values are sent through a socket to bluetoothd, so a write needs no D-Bus call. Emits the writer once, and
    /// does not complete. Cold: disposing releases the characteristic. Until the release,
    /// ``writeValue(_:type:options:)`` fails with ``BluetoothError/Kind/exclusiveUse`` in every program. Delivers on
    /// the manager's queue.
    ///
    /// Example, which writes a stream of values:
    ///
    ///     characteristic.acquireWrite().flatMap { writer in values.concatMap { writer.write($0) } }
    ///
    /// If another program has acquired the characteristic, its acquisition ends when that program closes its socket or
    /// leaves the bus, or when the link ends. bluetoothd has no call that ends it earlier. To end it, close the link
    /// with ``Peripheral/disconnect()`` or ``ConnectOptions/ExistingLink/replace``, and acquire the characteristic over
    /// the new link.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notPermitted`` before anything is sent, if ``properties`` do not include
    ///   ``Characteristic/Properties/writeWithoutResponse``.
    /// - ``BluetoothError/Kind/exclusiveUse`` if another program has acquired the characteristic.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not answer within the deadline.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the deadline is zero or less.
    /// - ``BluetoothError/Kind/bluez`` if bluetoothd closes the socket while the link is up. The error then has no
    ///   ``BluetoothError/dbusName``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `AcquireWrite`.
    ///
    /// - Parameter options: The deadline and the priority of the acquisition, not of the writes. Default:
    ///   ``Deadlines/operation``, and normal.
    public func acquireWrite(options: OperationOptions = OperationOptions()) -> Observable<CharacteristicWriter> {
        peripheral.stream { client, emitter in
            client.operations.acquireWrite(self, QueueRequest(options: options), emitter)
        }
    }
}
