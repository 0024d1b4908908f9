/// All there is in a simulation at its start: the computer's adapters, and the peripherals around it.
public struct Scenario: Sendable {
    /// The computer's Bluetooth adapters, in the order of their numbers (`hci0`, `hci1`…).
    public var adapters: [SimulatedAdapter]
    /// The peripherals in range.
    public var peripherals: [SimulatedPeripheral]
    /// What decides everything that varies. The same scenario with the same seed shows the same events.
    public var seed: UInt64
    /// What happens in the course of time, counted from the first start of the daemon.
    public var script: [ScriptedEvent] = []
    /// The rules by which calls go wrong.
    public var faults: [Fault] = []
    /// The quirks of BlueZ that are to show although they need not.
    public var quirks: Set<Quirk> = []
    /// How many of 100 advertisements nobody receives, 0 to 100. Default: 0.
    public var packetLoss = 0
    /// What of newer daemons is shown besides what 5.66 does. Default: nothing.
    public var features: Set<SimulatedFeature> = []

    /// Makes a scenario. Without adapters given there is one, and it is powered.
    public init(
        adapters: [SimulatedAdapter] = [SimulatedAdapter()], peripherals: [SimulatedPeripheral], seed: UInt64 = 1
    ) {
        self.adapters = adapters
        self.peripherals = peripherals
        self.seed = seed
    }
}

/// An adapter of the computer.
public struct SimulatedAdapter: Sendable {
    /// Its address.
    public var address: String
    /// The computer's name, which is its name.
    public var name: String
    /// Whether it is switched on when bluetoothd finds it.
    public var isPowered: Bool
    /// Whether rfkill blocks it, so that it is off whatever ``isPowered`` says (Q30).
    public var isBlocked: Bool

    /// Makes an adapter. Without anything given it is powered and not blocked.
    public init(
        address: String = "00:1A:7D:DA:71:01", name: String = "simulation", powered: Bool = true, blocked: Bool = false
    ) {
        self.address = address.uppercased()
        self.name = name
        isPowered = powered
        isBlocked = blocked
    }
}

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
