public import Rx

/// A way of its own for writes without response to one characteristic, which this program has alone for as long as the stream
/// of ``Characteristic/acquireWrite()`` is subscribed to.
public final class CharacteristicWriter: Sendable {
    /// The characteristic that is written.
    public let characteristic: Characteristic
    /// The most bytes that one write takes: what fits into one packet, at most 512.
    public let maximumLength: Int
    private let socket: Confined<WriteSocket>

    init(_ characteristic: Characteristic, maximumLength: Int, socket: Confined<WriteSocket>) {
        self.characteristic = characteristic
        self.maximumLength = maximumLength
        self.socket = socket
    }

    /// Hands one write over. Completes when bluetoothd has room for it, so that who waits for it never overruns bluetoothd;
    /// that is not that it arrived (Q97). Fails with ``BluetoothError/Kind/invalidArgument`` for no bytes at all and for more
    /// than ``maximumLength``, which bluetoothd would lose (Q100), and with the error of the connection when that ends. Cold.
    public func write(_ value: [UInt8]) -> Completable {
        characteristic.peripheral.stream { [self] (client, emitter: Emitter<Never>) in
            guard (1...maximumLength).contains(value.count) else {
                let text = "The value has \(value.count) bytes, and a packet takes 1 to \(maximumLength)"
                return emitter.fail(
                    BluetoothError(
                        .invalidArgument, operation: .write, target: characteristic.target, dbusMessage: text))
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
    /// Takes this characteristic for streams of writes without response: a socket instead of a call each (`AcquireWrite`).
    ///
    /// Emits the writer once, and does not complete. Cold: disposing gives the characteristic back; meanwhile
    /// ``writeValue(_:type:)`` of everybody fails with ``BluetoothError/Kind/exclusiveUse`` (Q100). To write a stream of values:
    ///
    ///     characteristic.acquireWrite().flatMap { writer in values.concatMap { writer.write($0) } }
    ///
    /// A characteristic that another program has acquired is free again when that program closes its socket, leaves the bus or dies,
    /// or when the link ends. bluetoothd has no call to take it away: to end the other use, close the link
    /// (``Peripheral/disconnect()``, or ``ConnectOptions/ExistingLink/replace``) and acquire it over the new one. What this program
    /// has acquired is closed with the subscription, the connection or the manager, whichever ends first.
    ///
    /// Fails with ``BluetoothError/Kind/notPermitted`` where ``properties`` do not offer writing without response,
    /// with ``BluetoothError/Kind/exclusiveUse`` where another program has it already, and with the error of the connection when
    /// that ends. Source: BlueZ, `gatt-api.txt`, `AcquireWrite`.
    public func acquireWrite() -> Observable<CharacteristicWriter> {
        peripheral.stream { client, emitter in client.operations.acquireWrite(self, emitter) }
    }
}
