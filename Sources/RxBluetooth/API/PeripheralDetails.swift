public import Rx

/// A snapshot of everything that bluetoothd reports about a device, and of what is known about its link.
///
/// A property is nil if bluetoothd does not report it, or reports it with a wrong type. Source: BlueZ,
/// `device-api.txt`.
public struct PeripheralDetails: Hashable, Sendable {
    /// Whether the address is public or random.
    public var addressKind: BluetoothAddress.Kind?
    /// The name that the device advertised or that was read from it.
    public var name: String?
    /// The name that users of this computer see: a name that a program has set, else ``name``, else the address.
    public var alias: String?
    /// The class of a device that also supports classic Bluetooth.
    public var deviceClass: UInt32?
    /// The appearance value from the Bluetooth SIG's Assigned Numbers.
    public var appearance: UInt16?
    /// The name of an icon that suits the device. Source: freedesktop.org Icon Naming Specification.
    public var icon: String?
    /// The vendor, product and version of the device, for example `usb:v1D6Bp0246d0540`.
    public var modalias: String?
    /// Whether the device is paired.
    public var isPaired: Bool?
    /// Whether bluetoothd has a bond with the device. BlueZ before 5.65 does not report it.
    public var isBonded: Bool?
    /// Whether bluetoothd trusts the device; see ``Peripheral/trust(_:)``.
    public var isTrusted: Bool?
    /// Whether bluetoothd refuses every link with the device.
    public var isBlocked: Bool?
    /// Whether any program has a link to the device.
    public var isConnected: Bool?
    /// Whether the device is connected over LE; nil if bluetoothd does not report it (before 5.83, or without `-E`).
    public var isConnectedOverLE: Bool?
    /// Whether bluetoothd has read the services of the device over the present link.
    public var areServicesResolved: Bool?
    /// Whether the device supports only the pairing of Bluetooth before 2.1.
    public var usesLegacyPairing: Bool?
    /// Whether the device may wake this computer.
    public var isWakeAllowed: Bool?
    /// Whether the device is being paired over a cable, as game controllers are. From BlueZ 5.83 on.
    public var isCablePairing: Bool?
    /// The bearer that bluetoothd prefers for a device with two: `last-used`, `last-seen`, `le` or `bredr`.
    ///
    /// bluetoothd reports it from 5.80 on with `-E`.
    public var preferredBearer: String?
    /// The services that the device advertised or that were read from it.
    public var services: [BluetoothUUID] = []
    /// The RSSI of the last advertisement in dBm. bluetoothd removes it when no program scans.
    public var rssi: Int?
    /// The advertised transmit power in dBm.
    public var txPowerLevel: Int?
    /// The bytes of the advertised flags.
    public var flags: [UInt8]?
    /// Manufacturer data by company identifier.
    public var manufacturerData: [UInt16: [UInt8]] = [:]
    /// Service data by service UUID.
    public var serviceData: [BluetoothUUID: [UInt8]] = [:]
    /// The advertised data that has no property of its own, by its type. bluetoothd reports it with `-E`.
    public var advertisingData: [UInt8: [UInt8]] = [:]
    /// The battery level in percent, from 0 to 100.
    public var batteryLevel: Int?
    /// The ATT MTU of the link in bytes. BlueZ before 5.62 does not report it.
    public var mtu: Int?
    /// The facts of the link; nil without a link.
    public var link: LinkFacts?

    /// Creates details without values, for example for a test.
    public init() {}
}

extension Peripheral {
    // Promise S132, see docs/promises.md.
    /// Reads everything that bluetoothd reports about the device, and what is known about its link.
    ///
    /// Emits one value. The device need not be connected, and the link may be that of another program. Nothing is sent
    /// to the device. A fact of the link that cannot be read is ``LinkFact/unknown(because:)``; it is not an error.
    /// Cold. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/peripheralGone`` if bluetoothd does not know the device; scan for it again.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not reply within ``Deadlines/operation``.
    /// - ``BluetoothError/Kind/daemonUnavailable`` or a similar error if bluetoothd cannot be used. The adapter may be
    ///   off.
    public func readDetails() -> Single<PeripheralDetails> {
        operation(.readState) { [self] (client, emitter) throws(BluetoothError) in
            try client.readDetails(of: self, emitter)
        }
        .asSingle()
    }
}
