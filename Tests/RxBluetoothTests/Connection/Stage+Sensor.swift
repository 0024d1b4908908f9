import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

/// A simulated sensor with one characteristic for each kind of GATT operation.
enum Sensor {
    static let address: BluetoothAddress = "C0:FF:EE:00:00:21"
    static let text = "C0:FF:EE:00:00:21"
    static let path = "/org/bluez/hci0/dev_C0_FF_EE_00_00_21"
    static let service: BluetoothUUID = 0xFFF0
    static let value: BluetoothUUID = 0xFFF1
    static let notifying: BluetoothUUID = 0xFFF2
    static let silent: BluetoothUUID = 0xFFF3
    static let refusing: BluetoothUUID = 0xFFF4
    static let slow: BluetoothUUID = 0xFFF5

    static let peripheral = make(text)
    static let other = make("C0:FF:EE:00:00:22")

    static func make(_ address: String, _ connection: SimulatedConnection = SimulatedConnection())
        -> SimulatedPeripheral
    {
        SimulatedPeripheral("Sensor", address: address) {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -50, name: "Sensor", services: ["fff0"], firstAfter: .zero)
            connection
            SimulatedService("fff0") {
                SimulatedCharacteristic(
                    "fff1", .read([1]), .write, .writeWithoutResponse,
                    descriptors: [SimulatedDescriptor("2901", [0x41], writable: true)])
                SimulatedCharacteristic("fff2", .read([7]), .notify)
                SimulatedCharacteristic("fff3", .read { _ in .silence })
                SimulatedCharacteristic("fff4", .read { _ in .error(0x81) }, .write { _ in .error(0x0E) })
                SimulatedCharacteristic("fff5", .read { _ in .value([5], after: .seconds(5)) })
            }
            SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([50]), .indicate) }
        }
    }
}

extension Stage {
    /// Makes a stage (a manager and a simulation) on which a scan has found the sensor.
    ///
    /// The list of recorded calls is empty.
    static func withSensor(
        _ connection: SimulatedConnection = SimulatedConnection(), deadlines: Deadlines = .prompt
    ) -> (Stage, Peripheral) {
        let stage = Stage(with: [Sensor.make(Sensor.text, connection), Sensor.other], deadlines: deadlines)
        return (stage, stage.find(Sensor.address))
    }

    /// Makes a stage as `withSensor`, connects the sensor, and discovers its notifying characteristic.
    static func withNotifyingSensor() -> (Stage, Peripheral, Recording<Peripheral>, Characteristic) {
        let (stage, peripheral) = withSensor()
        let link = stage.connect(peripheral)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        stage.simulation.bluez.forgetCalls()
        return (stage, peripheral, link, notifying)
    }

    /// Returns a peripheral that a scan finds, and clears the recorded calls.
    func find(_ address: BluetoothAddress) -> Peripheral {
        let found = record(manager.peripheral(address))
        advance(500)
        guard let peripheral = found.elements.first else { preconditionFailure("\(address) is not there.") }
        simulation.bluez.forgetCalls()
        return peripheral
    }

    /// Connects, waits until the services are resolved, and returns the recorded connection.
    func connect(_ peripheral: Peripheral) -> Recording<Peripheral> {
        let link = record(peripheral.connect())
        advance(500)
        #expect(link.elements == [peripheral])
        return link
    }

    /// Discovers a characteristic of a connected peripheral, and returns it.
    func characteristic(_ uuid: BluetoothUUID, of peripheral: Peripheral) -> Characteristic {
        let found = record(
            peripheral.discoverServices().flatMap { $0.discoverCharacteristics() }.filter { $0.uuid == uuid })
        advance(0)
        guard let characteristic = found.elements.first else { preconditionFailure("\(uuid) is not there.") }
        return characteristic
    }

    /// Returns whether bluetoothd shows a link to the sensor.
    func isLinked(_ path: String = Sensor.path) -> Bool { isSet("Device1", "Connected", at: path) }

    /// Returns whether bluetoothd scans for any program.
    func isDiscovering() -> Bool { isSet("Adapter1", "Discovering", at: "/org/bluez/hci0") }

    private func isSet(_ interface: String, _ property: String, at path: String) -> Bool {
        let bus = simulation.connect()
        let answer = Guarded<Bool?>(nil)
        guard
            let objectPath = ObjectPath(path),
            let message = try? Message.call(
                to: "org.bluez", path: objectPath, interface: "org.freedesktop.DBus.Properties", member: "Get",
                { (body) throws(DBusError) in
                    try body.string("org.bluez." + interface)
                    try body.string(property)
                })
        else { return false }
        bus.call(message, timeout: .seconds(1)) { result in
            let value = try? result.get().read { (body) throws(DBusError) in
                try body.variant { (value) throws(DBusError) in try value.bool() }
            }
            answer.withLock { $0 = value }
        }
        advance(0)
        return answer.withLock { $0 } ?? false
    }

    /// Calls a method of the sensor from another program. Returns the bus connection of that program.
    func otherProgram(_ member: String, _ path: String = Sensor.path) -> any Bus {
        let bus = simulation.connect()
        if let path = ObjectPath(path),
            let message = try? Message.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: member)
        {
            bus.call(message, timeout: .seconds(60)) { _ in }
        }
        return bus
    }

    /// Checks that no teardown is in progress.
    func expectSettled(_ location: SourceLocation = #_sourceLocation) {
        let settled = record(manager.settled())
        advance(0)
        #expect(settled.isCompleted, sourceLocation: location)
    }
}

/// A program besides the library, which calls a method of a characteristic of the sensor.
final class OtherProgram: Sendable {
    private let bus: any Bus
    // The reply is kept, because it can contain a socket.
    private let reply = Guarded<Result<Message, DBusError>?>(nil)

    /// Whether bluetoothd has replied without an error.
    var hasSucceeded: Bool { (try? reply.withLock { $0 }?.get()) != nil }

    /// Calls a method, with options if the method has that argument.
    init(
        on stage: Stage, calls member: String, of characteristic: Characteristic, options: [String: DBus.Value]? = nil
    ) {
        bus = stage.simulation.connect()
        let service = String(Int(characteristic.service.handle) + 0x10000, radix: 16).dropFirst()
        let handle = String(Int(characteristic.handle) + 0x10000, radix: 16).dropFirst()
        guard let path = ObjectPath("\(Sensor.path)/service\(service)/char\(handle)"),
            let message = try? Message.call(
                to: "org.bluez", path: path, interface: "org.bluez.GattCharacteristic1", member: member,
                { (body) throws(DBusError) in if let options { try body.properties(options) } })
        else { preconditionFailure("The message is invalid.") }
        bus.call(message, timeout: .seconds(1)) { [self] result in reply.withLock { $0 = result } }
    }

    /// Leaves the bus, which ends the notify session of the program.
    func leave() { bus.close() }
}

extension Recording {
    var kind: BluetoothError.Kind? { error?.kind }

    /// Advances by 1 ms, and returns the kind of the error; nil if there is none.
    func outcome(_ stage: Stage) -> BluetoothError.Kind? {
        stage.advance(1)
        return kind
    }
}

extension Stage {
    /// Makes a stage with a scripted bluetoothd that knows one device.
    static func scripted(
        _ objects: ScriptedDaemon.Objects = .oneKnownDevice, deadlines: Deadlines = .prompt
    ) -> (Stage, ScriptedDaemon, Peripheral) {
        let stage = Stage(starting: false, deadlines: deadlines)
        let daemon = ScriptedDaemon(on: stage, objects)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        guard let peripheral = known.elements.first?.first?.peripheral else { preconditionFailure("No peripheral.") }
        return (stage, daemon, peripheral)
    }

    /// Connects to the device of a scripted bluetoothd, which then reports the services as resolved.
    func connect(_ peripheral: Peripheral, _ daemon: ScriptedDaemon) -> Recording<Peripheral> {
        let link = record(peripheral.connect())
        advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        advance(0)
        #expect(link.elements == [peripheral])
        return link
    }

    /// Checks that no timer is left.
    ///
    /// This works only with a scripted bluetoothd, because simulated peripherals have timers of their own.
    func expectNoTimers(_ location: SourceLocation = #_sourceLocation) {
        let now = scheduler.clock
        scheduler.start()
        #expect(scheduler.clock == now, sourceLocation: location)
    }
}

extension [BluetoothUUID] {
    /// The services without GAP (1800), which BlueZ hides up to 5.79.
    var ownServices: [BluetoothUUID] { filter { $0 != 0x1800 } }
}
