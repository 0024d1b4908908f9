/// A single difference between the versions of BlueZ.
///
/// ``Scenario/bluez`` selects those of a version. ``Scenario/features`` and ``Scenario/disabledFeatures`` switch single
/// ones, for example to simulate a distribution that has added one to an older version. <doc:Versions> is the table.
public enum SimulatedFeature: String, CaseIterable, Sendable {
    // MARK: Interfaces

    /// Services, characteristics and descriptors have a `Handle` (5.69).
    case handle
    /// Services that bluetoothd claims, such as GAP and HID, are visible but read-only (5.80).
    case claimedServices = "claimed-services"
    /// The battery service (180F) is hidden, and only `Battery1` shows the level (before 5.56, or by setting).
    case hiddenBattery = "hidden-battery"
    /// Devices that may also support BR/EDR have `Device1.PreferredBearer` (5.80 with `-E`).
    case preferredBearer = "preferred-bearer"
    /// `Device1.Disconnected` contains the reason why a link ended (5.83).
    case disconnectedSignal = "disconnected-signal"
    /// Devices have the interface `org.bluez.Bearer.LE1` (5.87 with `-E`).
    case leBearer = "le-bearer"
    /// Devices have `Device1.CablePairing` (5.83).
    case cablePairing = "cable-pairing"
    /// Devices have `Device1.GetServiceRecords`, which fails for LE devices (5.82 with `-E`).
    case serviceRecords = "service-records"
    /// Devices have `Device1.Sets` (5.82 with `-E`), which only members of a coordinated set have.
    case deviceSets = "device-sets"
    /// Adapters have `Adapter1.Connectable` (5.82).
    case connectable
    /// Adapters have `Adapter1.Manufacturer` and `Version` (5.82).
    case controllerVersion = "controller-version"
    /// Discovery filters accept `AutoConnect` (5.87).
    case autoConnectFilter = "auto-connect-filter"

    // MARK: Replies

    /// `Connect` fails with `InProgress` while another call connects, instead of with `Failed` (5.82).
    case connectInProgress = "connect-in-progress"
    /// `ConnectDevice` of a connected device fails with "Connect failed", instead of with `AlreadyExists` (5.82).
    case connectDeviceFailed = "connect-device-failed"
    /// `Pair` of a bonded device fails with `AlreadyExists`, instead of starting a pairing over BR/EDR (5.82).
    case pairAlreadyExists = "pair-already-exists"
    /// `CancelPairing` of a bonded device fails and closes the link (5.82).
    case cancelPairingDisconnects = "cancel-pairing-disconnects"
    /// `ConnectProfile` fails with `InvalidArguments` if its argument is no UUID (5.82).
    case checkedProfile = "checked-profile"

    // MARK: Order and effects

    /// `Disconnect` and `RemoveDevice` reply after the link's end has been signaled, instead of before (5.82).
    case lateDisconnectReply = "late-disconnect-reply"
    /// The `Pattern` of a discovery filter hides no device (5.82 only).
    case ignoredPattern = "ignored-pattern"
    /// Names end before their first byte that is not UTF-8, and have no blanks around them (5.87).
    ///
    /// Before, every byte above 0x7F of such a name becomes a space, and blanks are removed around such a name only.
    case cutNames = "cut-names"
    /// A canceled connection attempt removes a device without a bond. This is the kernel's: Linux 6.12, not 6.1.
    case canceledAttemptRemoves = "canceled-attempt-removes"
    /// After discovery, `Device1.UUIDs` also lists what the device has advertised (seen with 5.82 and 5.87).
    case advertisedServicesKept = "advertised-services-kept"
}
