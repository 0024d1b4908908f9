import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Simulations that run in parallel or one after the other, with the same device in each.
struct IndependentSimulationsTests {
    @Test(.proves(.S90), .covers(.simulation)) func `Two simulations with the same device do not affect each other`() {
        let (one, _, lost, silenced) = Stage.withNotifyingSensor()
        let (two, _, link, notifying) = Stage.withNotifyingSensor()
        let former = one.record(silenced.observeValueUpdates())
        let values = two.record(notifying.observeValueUpdates())
        let scan = two.record(two.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        let states = two.record(two.manager.state)
        for stage in [one, two] { stage.advance(1_000) }
        one.simulation.bluez.notify([1], from: Sensor.text, "fff2")
        for stage in [one, two] { stage.advance(1) }
        #expect(former.elements == [[1]] && values.elements.isEmpty)
        #expect(two.isDiscovering() && !one.isDiscovering())
        one.simulation.bluez.crash()
        one.advance(1)
        let count = scan.elements.count
        two.advance(1_000)
        #expect(lost.kind == .disconnected(.daemon) && former.kind == .disconnected(.daemon))
        #expect(link.isLive && values.isLive && scan.isLive)
        #expect(two.isLinked() && two.isDiscovering())
        #expect(scan.elements.count >= count + 9)
        #expect(states.elements == [.poweredOn])
        two.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        two.advance(1)
        #expect(values.elements == [[5]])
        // Each of these calls was made once, although the other simulation crashed.
        #expect(two.methods.filter { $0 != "Get" } == ["StartNotify", "SetDiscoveryFilter", "StartDiscovery"])
    }

    enum Ending: CaseIterable {
        case daemon, bus
    }

    @Test(.proves(.S90), arguments: Ending.allCases)
    func `Ending a simulation ends each stream once, and the next one starts clean`(ending: Ending) {
        let (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        let read = stage.record(stage.characteristic(Sensor.silent, of: peripheral).readValue())
        let values = stage.record(notifying.observeValueUpdates())
        // The next simulation must not know this device, although bluetoothd stores trusted devices on disk.
        let trusted = stage.record(peripheral.trust())
        stage.advance(500)
        #expect(trusted.isCompleted)
        stage.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        stage.advance(1)
        #expect(link.isLive && scan.isLive && read.isLive && values.isLive)
        #expect(stage.isLinked() && stage.isDiscovering())
        let (reason, cause): (BluetoothError.DisconnectReason, BluetoothError.Kind) =
            switch ending {
            case .daemon: (.daemon, .daemonUnavailable)
            case .bus: (.bus, .busUnavailable)
            }
        switch ending {
        case .daemon: stage.simulation.bluez.crash()
        case .bus: stage.simulation.bluez.loseBus()
        }
        stage.advance(1_000)
        #expect(link.kind == .disconnected(reason) && values.kind == .disconnected(reason))
        #expect(read.kind == .disconnected(reason) && read.elements.isEmpty)
        #expect(scan.kind == cause)
        #expect(link.ends == 1 && values.ends == 1 && read.ends == 1 && scan.ends == 1)
        let counts = [link.times.count, values.times.count, read.times.count, scan.times.count]
        stage.advance(60_000)
        #expect(counts == [link.times.count, values.times.count, read.times.count, scan.times.count])
        stage.expectSettled()

        let next = Stage(with: [Sensor.peripheral, Sensor.other])
        let known = next.record(next.manager.knownPeripherals())
        next.advance(0)
        #expect(known.elements.map(\.count) == [0])
        #expect(next.methods.isEmpty)
        #expect(!next.isLinked() && !next.isDiscovering())
        let again = next.find(Sensor.address)
        #expect(again !== peripheral)
        let connected = next.connect(again)
        let fresh = next.record(next.characteristic(Sensor.notifying, of: again).observeValueUpdates())
        next.advance(1_000)
        #expect(connected.isLive && fresh.isLive && fresh.elements.isEmpty)
        #expect(next.methods == ["Connect", "StartNotify"])
    }
}

extension Recording {
    /// The number of errors and completions. A valid stream has one at most.
    fileprivate var ends: Int { events.count { $0.isStopEvent } }
}
