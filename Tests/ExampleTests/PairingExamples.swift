import RxBluetooth
import RxBluetoothMocks
import Testing

/// Pairs a device that shows a passkey on its label, and reads a protected value.
func readSecret(of lock: Peripheral) async throws -> [UInt8] {
    try await lock.pair().value
    return try await lock.withConnection { lock in
        try await lock.characteristic("FFF1", in: "FFF0").value.readValue().value
    }
}

/// A manager for devices with the passkey of their label; only the given device may pair.
func labelledDevices(_ device: BluetoothAddress, passkey: UInt32) -> PairingPolicy {
    PairingPolicy(.passkey(passkey), allowed: [device])
}

/// The user of the program answers. The answers come from your user interface.
func answerRequests(
    of manager: BluetoothManager, passkey: @escaping @Sendable () -> UInt32,
    confirms: @escaping @Sendable (UInt32) -> Bool
) -> any Disposable {
    manager.pairingRequests.subscribe(onNext: { request in
        do {
            switch request.question {
            case .passkey: try request.answer(.passkey(passkey()))
            case .confirmation(let number): try request.answer(confirms(number) ? .accept : .reject)
            case .displayPasskey(let number, let entered): print("type", number, "on the device, done:", entered)
            case .displayPinCode(let text): print("type", text, "on the device")
            case .authorization, .service, .pinCode: try request.answer(.reject)
            }
        } catch {
            print("the answer does not fit:", error)
        }
    })
}

/// Removes the bond and makes a new one, for example after `bondLost`.
func pairAgain(_ device: Peripheral, with manager: BluetoothManager) async throws {
    try await device.forget().value
    let scan = manager.scanForPeripherals(options: ScanOptions(filters: [ScanFilter(address: device.address)]))
    let found = try await scan.take(1).asSingle().value
    try await found.peripheral.pair().value
    try await found.peripheral.trust().value
}

func printBond(of device: Peripheral) -> any Disposable {
    Observable.combineLatest(device.isPaired, device.isBonded)
        .subscribe(onNext: { isPaired, isBonded in print("paired", isPaired, "bonded", isBonded) })
}

struct PairingExampleTests {
    private let address = "C0:FF:EE:00:00:21"

    private func scenario(_ method: SimulatedPairing.Method) -> Scenario {
        Scenario {
            SimulatedPeripheral("Lock", address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Lock", services: ["fff0"])
                SimulatedPairing(method)
                SimulatedService("fff0") {
                    SimulatedCharacteristic("fff1", .read([42]), protection: .encryption)
                }
            }
        }
    }

    @Test func `A device with a labelled passkey pairs without the user`() async throws {
        let stage = ExampleStage(scenario(.passkeyShown(123_456))) { [address] in
            $0.pairing = labelledDevices(BluetoothAddress(address)!, passkey: 123_456)
        }
        let lock = try stage.find("FFF0")
        let secret = try stage.run { try await readSecret(of: lock) }
        #expect(secret == [42])
    }

    @Test(arguments: [SimulatedPairing.Method.passkeyShown(7), .numericComparison(7), .passkeyEntered(7)])
    func `The user answers the requests`(_ method: SimulatedPairing.Method) async throws {
        let stage = ExampleStage(scenario(method)) { $0.pairing = PairingPolicy(.ask, timeout: .seconds(20)) }
        let lock = try stage.find("FFF0")
        let answers = answerRequests(of: stage.manager, passkey: { 7 }, confirms: { $0 == 7 })
        let bond = printBond(of: lock)
        stage.advance(10)
        let secret = try stage.run { try await readSecret(of: lock) }
        #expect(secret == [42])
        try stage.run { [manager = stage.manager] in try await pairAgain(lock, with: manager) }
        stage.advance(100)
        #expect(stage.lines.contains("paired false bonded false"))
        #expect(stage.lines.last == "paired true bonded true")
        bond.dispose()
        answers.dispose()
    }
}
