import Dispatch
import Foundation
import RxBluetooth
import Testing

/// The suites in here need the lab: a real bluetoothd, and the ten peripherals that `Lab/peripherals.py` describes.
enum Ground {
    static let isLab = ProcessInfo.processInfo.environment["RXBLUETOOTH_LAB"] == "1"

    /// Time enough for anything in a machine that runs in software emulation.
    static let patience: RxTimeInterval = .seconds(60)
    static let clock = SerialDispatchQueueScheduler(qos: .default)

    /// Gives a test a manager of its own, and afterwards sees to it that nothing is left behind.
    static func withManager(
        pairing: PairingPolicy = PairingPolicy(), _ body: (BluetoothManager) async throws -> Void
    ) async throws {
        let manager = BluetoothManager(queue: DispatchQueue(label: "test"), pairing: pairing)
        do {
            try await body(manager)
            try await manager.close().value
        } catch {
            try await manager.close().value
            throw error
        }
        try await expectNothingLeft()
    }

    /// Whether bluetoothd neither scans nor holds a link, asked by a program that is not ours; within some seconds, where
    /// what may be left is not ours.
    static func expectNothingLeft(within seconds: Int = 0) async throws {
        for _ in 0..<seconds where try !connectedDevices().isEmpty { try await pass(.seconds(1)) }
        let discovering = try Command.run(
            "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Discovering")
        #expect(discovering.output == "b false\n")
        #expect(try connectedDevices() == [])
    }

    /// The lines that list a device. Between them bluetoothctl tells what happens meanwhile, such as `[DEL] Device ...`.
    private static func connectedDevices() throws -> [String] {
        try Command.run("bluetoothctl", "devices", "Connected").output.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("Device ") }
    }
}

extension ObservableType where Element: Sendable {
    /// The first element, within the lab's patience.
    func firstValue() async throws -> Element {
        try await take(1).timeout(Ground.patience, scheduler: Ground.clock).asSingle().value
    }

    /// All elements of a stream that completes, within the lab's patience.
    func allValues() async throws -> [Element] {
        try await toArray().timeout(Ground.patience, scheduler: Ground.clock).value
    }
}

extension BluetoothManager {
    /// The peripheral with a name, as a scan hears it.
    func peripheral(named name: String) async throws -> Peripheral {
        try await scanForPeripherals().filter { $0.peripheral.name == name }.firstValue().peripheral
    }

    /// Connects to a peripheral by its name, for as long as the body runs.
    func withConnection(
        to name: String, _ body: @escaping @Sendable (Peripheral) async throws -> Void
    ) async throws {
        let peripheral = try await peripheral(named: name)
        try await peripheral.connect()
            .flatMap { peripheral in Single<Void>.create { try await body(peripheral) }.asObservable() }
            .firstValue()
    }
}

extension Peripheral {
    /// The one characteristic with a UUID in the one service with a UUID.
    func characteristic(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) async throws -> Characteristic {
        try await discoverServices([service])
            .flatMap { $0.discoverCharacteristics([characteristic]) }
            .firstValue()
    }
}
