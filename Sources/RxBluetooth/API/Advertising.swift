public import Rx

/// What this computer is to say of itself, so that others see it in their scans.
///
/// There is room for 31 bytes, of which flags take 3; the name goes into the answer to a scan, which has room for as many.
/// Source: BlueZ, `advertising-api.txt`, `LEAdvertisement1`.
public struct Advertisement: Hashable, Sendable {
    /// The name. Default nil: none.
    public var localName: String?
    /// The services that are listed. Default: none.
    public var services: [BluetoothUUID]
    /// Data of manufacturers, by company number. Default: none.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data of services. Default: none.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// What the computer looks like, as the Bluetooth SIG numbers it. Default nil: it is not said.
    public var appearance: UInt16?
    /// Whether others may connect to this computer. Default: not, it is a broadcast.
    public var isConnectable: Bool

    /// Makes an advertisement.
    public init(
        localName: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], appearance: UInt16? = nil, isConnectable: Bool = false
    ) {
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.isConnectable = isConnectable
    }
}

extension BluetoothManager {
    /// Advertises, so that others see this computer in their scans.
    ///
    /// Emits once bluetoothd has taken the advertisement, and does not complete. Cold: subscribing advertises and disposing ends
    /// it, and each subscription is an advertisement of its own; bluetoothd has room for a few. Fails with
    /// ``BluetoothError/Kind/noFreeSlot`` where it has none left (Q113), with ``BluetoothError/Kind/invalidArgument`` where the
    /// advertisement is too long or makes no sense, and when Bluetooth cannot be used or ceases to be (Q114). No setting of the adapter is
    /// changed: an advertisement needs no discoverable adapter (Q35).
    /// Source: BlueZ, `advertising-api.txt`, `RegisterAdvertisement`.
    ///
    /// - Parameter advertisement: What to say.
    public func advertise(_ advertisement: Advertisement) -> Observable<Void> {
        access.operation(.advertise) { [selection] (client, emitter) throws(BluetoothError) in
            try client.advertising.start(advertisement, selection, emitter)
        }
    }
}
