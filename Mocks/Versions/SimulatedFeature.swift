/// A single difference between the versions of BlueZ.
///
/// ``Scenario/bluez`` selects those of a version. ``Scenario/features`` and ``Scenario/disabledFeatures`` switch single
/// ones, for example to simulate a distribution that has added one to an older version. <doc:Versions> is the table.
public enum SimulatedFeature: String, CaseIterable, Sendable {
    /// `Device1.Disconnected` contains the reason why a link ended (5.83).
    case disconnectedSignal = "disconnected-signal"
    /// Services, characteristics and descriptors have a `Handle` (5.69).
    case handle
    /// Services that bluetoothd claims, such as GAP and HID, are visible but read-only (5.80).
    case claimedServices = "claimed-services"
    /// Devices that may also support BR/EDR have `Device1.PreferredBearer` (5.80 with `-E`).
    case preferredBearer = "preferred-bearer"
}
