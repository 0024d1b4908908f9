public import Rx

/// A service of a connected peripheral. It is valid for the connection in which it was discovered (S54).
public struct Service: Hashable, Sendable {
    /// The peripheral that offers it.
    public let peripheral: Peripheral
    /// What kind of service it is. Two services of a peripheral may have one UUID (Q110).
    public let uuid: BluetoothUUID
    /// The handle of its declaration, which no other attribute of the peripheral has.
    public let handle: UInt16
    /// Whether it is a primary service, and not one that others include.
    public let isPrimary: Bool
    let link: UInt64
    let epoch: UInt64

    /// Tells the service's characteristics.
    ///
    /// Emits one element a characteristic, in the order of their handles, and completes. They were read with the
    /// services, so nothing is sent. Fails with ``BluetoothError/Kind/attributeNotFound`` where
    /// characteristics were asked for and none is there, and with ``BluetoothError/Kind/notConnected`` when the
    /// connection has ended. Cold.
    ///
    /// - Parameter characteristics: The characteristics that are wanted. Default, and empty: all.
    public func discoverCharacteristics(_ characteristics: [BluetoothUUID] = []) -> Observable<Characteristic> {
        let discovery: Observable<Characteristic> = peripheral.stream { client, emitter in
            emitter.attempt(.discover, "service \(uuid) of \(peripheral.address)") { () throws(BluetoothError) in
                for found in try client.attributes.characteristics(of: self, characteristics) { emitter.next(found) }
                emitter.complete()
            }
        }
        return peripheral.resumingAfterReconnect(discovery, link: link)
    }

    /// Tells the services that this one includes.
    ///
    /// Emits one element a service, in the order of their handles, and completes. They were read with the services, so nothing is
    /// sent. Fails as ``discoverCharacteristics(_:)`` does. Cold. Source: BlueZ, `gatt-api.txt`, `Includes`.
    ///
    /// - Parameter services: The services that are wanted. Default, and empty: all.
    public func discoverIncludedServices(_ services: [BluetoothUUID] = []) -> Observable<Service> {
        let discovery: Observable<Service> = peripheral.stream { client, emitter in
            emitter.attempt(.discover, "service \(uuid) of \(peripheral.address)") { () throws(BluetoothError) in
                for found in try client.attributes.includedServices(of: self, services) { emitter.next(found) }
                emitter.complete()
            }
        }
        return peripheral.resumingAfterReconnect(discovery, link: link)
    }
}
