public import Rx

/// A descriptor of a characteristic. It is valid for the connection in which it was discovered.
public struct Descriptor: Hashable, Sendable {
    /// The characteristic that it describes.
    public let characteristic: Characteristic
    /// What kind of descriptor it is.
    public let uuid: BluetoothUUID
    /// Its handle, which no other attribute of the peripheral has.
    public let handle: UInt16

    var target: String { "\(uuid) of \(characteristic.target)" }
    var path: String { characteristic.key.descriptorPath(handle) }

    /// Reads the value. Emits it once; fails as ``Characteristic/readValue()`` does. Cold.
    /// Source: BlueZ, `gatt-api.txt`, descriptor hierarchy.
    public func readValue() -> Single<[UInt8]> {
        characteristic.peripheral.stream { client, emitter in client.operations.read(self, emitter) }.asSingle()
    }

    /// Writes a value; completes when the peripheral has confirmed it. Fails as ``Characteristic/writeValue(_:type:)``
    /// does; the descriptor that turns notifications on (2902) belongs to bluetoothd and cannot be written (Q108). Cold.
    public func writeValue(_ value: [UInt8]) -> Completable {
        characteristic.peripheral.stream { (client, emitter: Emitter<Never>) in
            guard value.count <= Characteristic.longestValue else {
                return emitter.fail(Characteristic.tooLong(value.count).during(.writeDescriptor, target))
            }
            guard uuid != 0x2902 else {
                return emitter.fail(
                    BluetoothError(.notPermitted, dbusMessage: "Use observeValueUpdates() instead")
                        .during(.writeDescriptor, target))
            }
            client.operations.write(value, to: self, emitter)
        }
        .asCompletable()
    }
}
