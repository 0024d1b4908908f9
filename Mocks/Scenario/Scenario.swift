/// The initial state of a simulation and its events: adapters, peripherals, script, faults and quirks.
public struct Scenario: Sendable {
    /// The adapters of the computer, in the order of their numbers (`hci0`, `hci1`…).
    public var adapters: [SimulatedAdapter]
    /// The peripherals in range.
    public var peripherals: [SimulatedPeripheral]
    /// The seed of all random values. The same scenario with the same seed shows the same events.
    public var seed: UInt64
    /// Events at fixed times after the first start of the daemon.
    public var script: [ScriptedEvent] = []
    /// The rules that make calls fail or misbehave.
    public var faults: [Fault] = []
    /// The version of BlueZ. Default: 5.82, the version of Debian 13.
    public var bluez: SimulatedBlueZ.Version {
        get { chosenBlueZ ?? .v5_82 }
        set { chosenBlueZ = newValue }
    }
    /// The version that the scenario names; nil for the default.
    var chosenBlueZ: SimulatedBlueZ.Version?
    /// The quirks of BlueZ that are turned on, in addition to those of the version.
    public var quirks: Set<Quirk> = []
    /// The quirks of the version that are turned off.
    public var disabledQuirks: Set<Quirk> = []
    /// The percentage of advertisements that are lost, 0 to 100. Default: 0.
    public var packetLoss = 0
    /// Single differences of other versions that are turned on. Default: none.
    public var features: Set<SimulatedFeature> = []
    /// Single differences of the version that are turned off. Default: none.
    public var disabledFeatures: Set<SimulatedFeature> = []

    /// Creates a scenario. By default there is one adapter, which is powered; without any, `[]`, there is none.
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
    /// The address.
    public var address: String
    /// The name of the adapter. On a real computer, this is the computer's name.
    ///
    /// If nil, it is the name of bluetoothd's own default, such as "BlueZ 5.82".
    public var name: String?
    /// Whether the adapter is on when bluetoothd finds it.
    public var isPowered: Bool
    /// Whether rfkill blocks the adapter. A blocked adapter is off even if ``isPowered`` is true.
    public var isBlocked: Bool

    /// Creates an adapter. By default it is powered and not blocked.
    public init(
        address: String = "00:1A:7D:DA:71:01", name: String? = "simulation", powered: Bool = true,
        blocked: Bool = false
    ) {
        self.address = address.uppercased()
        self.name = name
        isPowered = powered
        isBlocked = blocked
    }
}
