public import Rx

/// A descriptor of a characteristic.
///
/// A descriptor is valid for the connection in which it was discovered. With ``ConnectOptions/reconnection``, it stays
/// valid after each reconnection.
public struct Descriptor: Hashable, Sendable {
    /// The characteristic that the descriptor belongs to.
    public let characteristic: Characteristic
    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID
    /// The attribute handle of the descriptor, unique within the peripheral.
    public let handle: UInt16

    var target: String { "\(uuid) of \(characteristic.target)" }
    var path: String { characteristic.key.descriptorPath(handle) }

    /// Reads the value.
    ///
    /// Emits the value once. Cold: each subscription queues one read. Delivers on the manager's queue. Fails with the
    /// errors of ``Characteristic/readValue(options:)``, except that the properties of the characteristic are not
    /// checked.
    /// Source: BlueZ, `gatt-api.txt`, `GattDescriptor1`.
    ///
    /// - Parameter options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func readValue(options: OperationOptions = OperationOptions()) -> Single<[UInt8]> {
        read(QueueRequest(options: options))
    }

    func read(_ request: QueueRequest) -> Single<[UInt8]> {
        characteristic.peripheral.stream { client, emitter in client.operations.read(self, request, emitter) }
            .asSingle()
    }

    /// Writes the value, and completes when the peripheral has confirmed it.
    ///
    /// Cold: each subscription queues one write. A disposed write that has not started is never sent. Delivers on the
    /// manager's queue.
    ///
    /// Fails with the errors of ``Characteristic/writeValue(_:type:options:)``, except that the properties of the
    /// characteristic are not checked. Only bluetoothd may write the Client Characteristic Configuration descriptor
    /// (2902): writing that descriptor fails with ``BluetoothError/Kind/notPermitted``. To turn notifications on, use
    /// ``Characteristic/observeValueUpdates(using:buffer:options:)``.
    ///
    /// - Parameters:
    ///   - value: The bytes, at most 512.
    ///   - options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func writeValue(_ value: [UInt8], options: OperationOptions = OperationOptions()) -> Completable {
        write(value, QueueRequest(options: options))
    }

    func write(_ value: [UInt8], _ request: QueueRequest) -> Completable {
        characteristic.peripheral.stream { (client, emitter: Emitter<Never>) in
            guard value.count <= Characteristic.longestValue else {
                return emitter.fail(Characteristic.tooLong(value.count).during(.writeDescriptor, target))
            }
            guard uuid != 0x2902 else {
                return emitter.fail(
                    BluetoothError(.notPermitted, detail: "Only bluetoothd writes it")
                        .during(.writeDescriptor, target))
            }
            client.operations.write(value, to: self, request, emitter)
        }
        .asCompletable()
    }
}
