public import Rx

/// The data that this computer advertises.
///
/// An advertisement holds 31 bytes, and its flags need 3 of them. bluetoothd sends the name in the scan response, which
/// holds another 31 bytes.
///
/// Source: BlueZ, `advertising-api.txt`, `LEAdvertisement1`.
public struct Advertisement: Hashable, Sendable {
    /// The local name. Default: nil, no name.
    public var localName: String?
    /// The UUIDs of the services to advertise. Default: none.
    public var services: [BluetoothUUID]
    /// Manufacturer data by company identifier. Default: none.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Service data by service UUID. Default: none.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// The appearance value from the Bluetooth SIG's Assigned Numbers. Default: nil, not advertised.
    public var appearance: UInt16?
    /// Whether other devices may connect to this computer. Default: false, a broadcast.
    public var isConnectable: Bool
    // Promise S134, see docs/promises.md.
    /// The time from one advertising event to the next, from 20 ms to 10,485 s. Default: nil, bluetoothd chooses.
    ///
    /// The controller gets whole milliseconds and chooses a time in the range. Kernels before 5.11 ignore it.
    public var interval: ClosedRange<Duration>?

    /// Creates an advertisement. Without arguments it has no data and is not connectable.
    public init(
        localName: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], appearance: UInt16? = nil, isConnectable: Bool = false,
        interval: ClosedRange<Duration>? = nil
    ) {
        self.interval = interval
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.isConnectable = isConnectable
    }
}

extension BluetoothManager {
    /// Advertises this computer, so that other devices find it in their scans.
    ///
    /// Emits once when bluetoothd has registered the advertisement, and does not complete. Cold: each subscription
    /// registers an advertisement of its own, and disposing unregisters it. Delivers on the manager's queue.
    ///
    /// The settings of the adapter do not change, and the adapter need not be discoverable.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/noFreeSlot`` if the adapter has no room for another advertisement. Controllers support
    ///   only a few, and bluetoothd frees the slot of an earlier advertisement shortly after the disposal.
    /// - ``BluetoothError/Kind/invalidArgument`` or ``BluetoothError/Kind/registrationFailed(_:)`` if bluetoothd
    ///   rejects the advertisement, for example because it is too long. ``Advertisement/interval`` is checked before
    ///   anything is sent.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not answer within ``Deadlines/operation``.
    /// - ``BluetoothError/Kind/poweredOff``, ``BluetoothError/Kind/daemonUnavailable`` or a similar error if Bluetooth
    ///   cannot be used, at the start or later.
    ///
    /// Source: BlueZ, `advertising-api.txt`, `RegisterAdvertisement`.
    ///
    /// - Parameter advertisement: The data to advertise.
    public func advertise(_ advertisement: Advertisement) -> Observable<Void> {
        access.operation(.advertise) { [selection] (client, emitter) throws(BluetoothError) in
            try client.advertising.start(advertisement, selection, emitter)
        }
    }
}
