import BluetoothValues
import RxBluetooth
import RxBluetoothMocks

@testable import Gateway

/// A gateway in virtual time, with a simulated radio, broker and store.
final class GatewayStage {
    let time: VirtualLoop
    let simulation: Simulation
    let server: SimulatedBrokerServer
    let messages: SimulatedSubscriber
    let store: SimulatedStore
    let broker: SimulatedBroker
    let gateway: Gateway
    private(set) var events: [GatewayEvent] = []

    /// Makes a gateway, which shares the time and the broker with another one if there is one.
    ///
    /// - Parameter disk: The context of the store; nil for that of the gateway.
    init(
        _ scenario: Scenario = .showroom, name: String = "attic", sharing other: GatewayStage? = nil,
        store: SimulatedStore = SimulatedStore(identity: "s"), disk: VirtualLoop? = nil,
        formats: [any AdvertisementFormat.Type] = [],
        configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) {
        var configuration = GatewayConfiguration()
        configuration.name = name
        configure(&configuration)
        let time = other?.time ?? VirtualLoop()
        self.time = time
        self.store = store
        let (scheduler, simulation) = (time.scheduler, Simulation(scenario, scheduler: time.scheduler))
        self.simulation = simulation
        server = other?.server ?? SimulatedBrokerServer(loop: time.loop)
        messages = server.subscribe(to: "#")
        broker = server.client(Gateway.client(of: configuration))
        gateway = Gateway(
            configuration, loop: time.loop, broker: broker, store: store, storeLoop: disk?.loop,
            keys: scenario.sensorKeys, formats: formats
        ) { adapter in
            BluetoothManager(
                configuration: .init(adapter: adapter, scheduler: scheduler), bus: simulation.connect())
        }
        gateway.onEvent = { [unowned self] in events.append($0) }
    }

    /// Starts the gateway, and runs it for a time.
    func run(for duration: Duration) {
        gateway.start()
        time.advance(by: duration)
    }

    /// Stops the gateway. Returns whether it has stopped within a time.
    func stop(within limit: Duration = .seconds(20)) -> Bool {
        var isStopped = false
        gateway.stop { isStopped = true }
        time.advance(by: limit)
        return isStopped
    }

    /// The messages of topics that begin with a text.
    func messages(_ prefix: String) -> [SimulatedSubscriber.Delivery] {
        messages.deliveries.filter { $0.topic.hasPrefix(prefix) }
    }

    /// The last retained message of a topic, as JSON.
    func retained(_ topic: String) throws -> ParsedJSON? {
        try server.retained[topic].map { try ParsedJSON($0.payload) }
    }
}

extension GatewayStage {
    /// The messages of one topic, as JSON.
    func json(_ topic: String) throws -> [ParsedJSON] {
        try messages.deliveries.filter { $0.topic == topic }.map { try ParsedJSON($0.payload) }
    }

    /// Sends a command to the strap of ``Scenario/strap(inRange:)``.
    func command(_ text: String, isRetained: Bool = false) {
        server.publish(Publication("home/attic/commands/C0FFEE000001", text, isRetained: isRetained))
    }

    /// The results of the commands to the strap.
    func results() throws -> [ParsedJSON] { try json("home/attic/results/C0FFEE000001") }
}

extension BluetoothAddress {
    static let strap: BluetoothAddress = "C0:FF:EE:00:00:01"
}

extension SimulatedPeripheral {
    /// Returns a strap that notifies and has a battery level.
    static func strap(advertises: Bool = true) -> SimulatedPeripheral {
        SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
            if advertises { SimulatedAdvertisement(every: .milliseconds(300), rssi: -50) }
            SimulatedService("180d") {
                SimulatedCharacteristic("2a37", .notify)
                SimulatedCharacteristic("2a38", .read([1]))
                SimulatedCharacteristic("2a39", .write)
            }
            SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([87]), .notify) }
        }
    }
}

extension Scenario {
    /// The manufacturer data of a RuuviTag, from its specification.
    static let ruuvi: [UInt8] = [
        0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42, 0x00, 0xCD,
        0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F,
    ]

    /// A strap that notifies and has a battery level, and a sensor that only advertises.
    static func strap(script: [ScriptedEvent] = [], faults: [Fault] = []) -> Scenario {
        var scenario = Scenario(seed: 3) {
            SimulatedPeripheral.strap()
            SimulatedPeripheral("Ruuvi", address: "C0:FF:EE:00:00:02") {
                SimulatedAdvertisement(every: .seconds(1), rssi: -60, manufacturerData: [0x0499: ruuvi])
            }
        }
        scenario.script = script
        scenario.faults = faults
        return scenario
    }
}
