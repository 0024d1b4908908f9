import RxBluetooth
import RxBluetoothMocks

/// The two adapters of the tests, and their addresses.
enum Radio {
    static let first = SimulatedAdapter()
    static let second = SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "second")
    static let firstAddress: BluetoothAddress = "00:1A:7D:DA:71:01"
    static let secondAddress: BluetoothAddress = "00:1A:7D:DA:71:02"
}

extension Stage {
    /// Makes a stage (a manager and a simulation) with two adapters and two sensors.
    static func withTwoAdapters(
        _ first: SimulatedAdapter = Radio.first, _ second: SimulatedAdapter = Radio.second,
        adapter: AdapterSelection = .number(0)
    ) -> Stage {
        Stage(Scenario(adapters: [first, second], peripherals: [Sensor.peripheral, Sensor.other]), adapter: adapter)
    }

    /// Returns the peripheral with an address that a manager finds by a scan.
    func find(_ address: BluetoothAddress, with manager: BluetoothManager) -> Peripheral {
        let found = record(manager.peripheral(address))
        advance(1_000)
        guard let peripheral = found.elements.first else { preconditionFailure("\(address) is not there.") }
        return peripheral
    }

    /// Returns the names of the adapters on which clients called a method, in order of the calls.
    func adapters(_ member: String) -> [String] {
        simulation.calls.filter { $0.member == member }.map { String($0.path.dropFirst("/org/bluez/".count).prefix(4)) }
    }
}
