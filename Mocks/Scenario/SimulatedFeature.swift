/// What daemons newer than 5.66 show besides. A scenario has none of it unless it asks (``Scenario/features``).
public enum SimulatedFeature: String, CaseIterable, Sendable {
    /// `Device1.Disconnected` tells why a link ended (5.83, Q86).
    case disconnectedSignal = "disconnected-signal"
    /// Services, characteristics and descriptors have a `Handle` (5.69).
    case handle
    /// Services that the daemon keeps to itself, such as HID, are shown, to be read only (5.80, Q109).
    case claimedServices = "claimed-services"
    /// `Device1.PreferredBearer`, for devices that could also speak Bluetooth classic (5.80 with `-E`, Q83).
    case preferredBearer = "preferred-bearer"
}
