import DBus
import TestTraits
import Testing

@testable import RxBluetooth

struct PeripheralTableTests {
    private typealias Objects = ScriptedDaemon.Objects

    private func address(_ number: UInt64) -> BluetoothAddress { BluetoothAddress(0xC000_0000_0000 | number) }

    @Test(.proves(.S46)) func `The table drops released peripherals and keeps those in use`() {
        let table = PeripheralTable()
        var kept: [Peripheral] = []
        for number in UInt64(0)..<10_000 {
            let key = DeviceKey(adapter: 0, address: address(number))
            let peripheral = table.peripheral(for: key, kind: .random, of: nil)
            if number.isMultiple(of: 1_000) { kept.append(peripheral) }
            #expect(table.entryCount <= 64)
        }
        for (number, peripheral) in kept.enumerated() {
            let key = DeviceKey(adapter: 0, address: address(UInt64(number) * 1_000))
            #expect(table.peripheral(for: key, kind: nil, of: nil) === peripheral)
        }
    }

    @Test(.proves(.S46)) func `Rotating addresses leave no peripherals behind except those in use`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        for member in ["SetDiscoveryFilter", "StartDiscovery"] { daemon.always(member) }
        let references = Guarded<[Weak]>([])
        let scan = stage.manager.scanForPeripherals().subscribe(onNext: { scanned in
            references.withLock { $0.append(Weak(scanned.peripheral)) }
        })
        stage.advance(0)
        var kept: Peripheral?
        for number in UInt64(0)..<500 {
            let text = address(number).description
            let path = "\(Objects.adapterPath)/dev_\(text.replacing(":", with: "_"))"
            daemon.add([path: ["org.bluez.Device1": ["Address": .string(text), "RSSI": .int16(-50)]]])
            stage.advance(0)
            if number == 3 { kept = references.withLock { $0.last?.peripheral } }
            daemon.remove(path, "org.bluez.Device1")
            stage.advance(0)
        }
        #expect(references.withLock { $0.count } == 500)
        #expect(references.withLock { $0.compactMap(\.peripheral) } == kept.map { [$0] })
        let text = address(3).description
        let path = "\(Objects.adapterPath)/dev_\(text.replacing(":", with: "_"))"
        daemon.add([path: ["org.bluez.Device1": ["Address": .string(text), "RSSI": .int16(-50)]]])
        stage.advance(0)
        #expect(references.withLock { $0.last?.peripheral } === kept)
        scan.dispose()
    }
}

/// A weak reference to a peripheral.
private final class Weak: @unchecked Sendable {
    // Guard: `peripheral` is set once, in the initializer.
    private(set) weak var peripheral: Peripheral?

    init(_ peripheral: Peripheral) { self.peripheral = peripheral }
}
