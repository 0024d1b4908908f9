public import Rx

/// A service of a connected peripheral.
///
/// A service is valid for the connection in which it was discovered. With ``ConnectOptions/reconnection``, it stays
/// valid after each reconnection.
public struct Service: Hashable, Sendable {
    /// The peripheral that the service belongs to.
    public let peripheral: Peripheral
    /// The UUID. Services of a peripheral with the same UUID have different handles.
    public let uuid: BluetoothUUID
    /// The attribute handle of the declaration, unique within the peripheral.
    public let handle: UInt16
    /// Whether the service is primary. Secondary services are only included in other services.
    public let isPrimary: Bool
    /// The number of the connection in which the service was discovered.
    let link: UInt64
    let epoch: UInt64

    /// Discovers the characteristics of the service.
    ///
    /// Emits one element for each characteristic, in the order of the handles, then completes. bluetoothd reads
    /// characteristics together with the services, so no request is sent. Cold. Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/attributeNotFound`` if none of the requested characteristics exists or the
    /// service is no longer valid, and with ``BluetoothError/Kind/notConnected`` without a connection.
    ///
    /// - Parameter characteristics: The UUIDs to discover. Default: empty, all characteristics.
    public func discoverCharacteristics(_ characteristics: [BluetoothUUID] = []) -> Observable<Characteristic> {
        let discovery: Observable<Characteristic> = peripheral.stream { client, emitter in
            emitter.attempt(.discover, "service \(uuid) of \(peripheral.address)") { () throws(BluetoothError) in
                for found in try client.attributes.characteristics(of: self, characteristics) { emitter.next(found) }
                emitter.complete()
            }
        }
        return peripheral.resumingAfterReconnect(discovery, link: link)
    }

    /// Discovers the services that this service includes.
    ///
    /// Emits one element for each included service, in the order of the handles, then completes. bluetoothd reads
    /// included services together with all others, so no request is sent. Cold. Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/attributeNotFound`` if none of the requested services is included or this
    /// service is no longer valid, and with ``BluetoothError/Kind/notConnected`` without a connection. Source: BlueZ,
    /// `gatt-api.txt`, `Includes`.
    ///
    /// - Parameter services: The UUIDs to discover. Default: empty, all included services.
    public func discoverIncludedServices(_ services: [BluetoothUUID] = []) -> Observable<Service> {
        let discovery: Observable<Service> = peripheral.stream { client, emitter in
            let target = "the services included in service \(uuid) of \(peripheral.address)"
            emitter.attempt(.discover, target) { () throws(BluetoothError) in
                for found in try client.attributes.includedServices(of: self, services) { emitter.next(found) }
                emitter.complete()
            }
        }
        return peripheral.resumingAfterReconnect(discovery, link: link)
    }
}
