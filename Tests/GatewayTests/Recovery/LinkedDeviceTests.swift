import Gateway
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// A connected device does not advertise, so its silence says nothing about the adapter.
@Suite struct LinkedDeviceTests {
    /// Connects the device with this number, and returns what its link ended with.
    private func connect(_ stage: RecoveryStage, _ number: Int = 0) throws -> LinkRecord {
        let manager = try #require(stage.supervisor.manager)
        let record = LinkRecord()
        record.task.disposable = manager.scanForPeripherals()
            .filter { $0.peripheral.address.description.hasSuffix("\(10 + number)") }
            .take(1).flatMap { $0.peripheral.connect() }
            .subscribe(
                onNext: { _ in record.state.withLock { $0 = "connected" } },
                onError: { error in record.state.withLock { $0 = "\(error)" } })
        stage.advance(.seconds(10))
        try #require(record.isUp)
        return record
    }

    @Test func `No step is taken while all devices that were heard are connected`() throws {
        let stage = RecoveryStage(devices: 1)
        stage.advance(.seconds(600))
        let link = try connect(stage)
        stage.forget()
        stage.advance(.seconds(6 * 3600))
        #expect(stage.heard.isEmpty, "a connected device does not advertise in the simulation")
        #expect(stage.steps.isEmpty && link.isUp, "\(stage.reports)")
        #expect(!stage.supervisor.status.isSilent)
        #expect(stage.close())
    }

    @Test func `Detection continues when the link ends`() throws {
        let stage = RecoveryStage(devices: 1)
        stage.advance(.seconds(600))
        let link = try connect(stage)
        stage.advance(.seconds(3600))
        stage.bluez.silenceController(until: .powerOn)
        link.task.dispose()
        let start = stage.scheduler.clock
        stage.advance(.seconds(120))
        #expect(stage.helpers == [.powerCycle], "\(stage.reports)")
        #expect(stage.longestGap(since: start) <= 60)
    }

    @Test func `Another device that was heard lately makes the silence a fault`() throws {
        let stage = RecoveryStage(devices: 2)
        stage.advance(.seconds(600))
        let link = try connect(stage)
        stage.advance(.seconds(60))
        stage.bluez.silenceController(until: .discoveryStart)
        stage.advance(.seconds(60))
        #expect(stage.helpers == [.restartScan] && link.isUp, "\(stage.reports)")
    }

    @Test func `A beacon that leaves does not cut a link that delivers values`() throws {
        let stage = RecoveryStage(devices: 2)
        stage.advance(.seconds(600))
        let link = try connect(stage)
        stage.bluez.setInRange(false, "C0:FF:EE:00:00:11")
        for _ in 0..<3_600 {
            stage.supervisor.receivedValue()
            stage.advance(.seconds(1))
        }
        #expect(link.isUp && Set(stage.steps) == [.restartScan], "\(stage.reports)")
        #expect(stage.helpers.isEmpty)
        #expect(stage.lines.isEmpty, "\(stage.lines)")
        #expect(stage.close())
    }

    @Test func `A device whose link a step has ended is no proof that the step has helped`() throws {
        let stage = RecoveryStage(devices: 2)
        stage.advance(.seconds(600))
        let link = try connect(stage)
        stage.bluez.setInRange(false, "C0:FF:EE:00:00:11")
        stage.advance(.seconds(900))
        #expect(!link.isUp && stage.steps.contains(.newSession), "\(stage.reports)")
        #expect(stage.helpers.isEmpty && !stage.supervisor.status.isSilent, "\(stage.reports)")
        #expect(stage.close())
    }

    @Test func `A device that is heard again makes the next silence a fault`() throws {
        let stage = RecoveryStage(devices: 2)
        stage.advance(.seconds(600))
        let link = try connect(stage, 0)
        let other = try connect(stage, 1)
        stage.advance(.seconds(7200))
        #expect(stage.steps.isEmpty, "\(stage.reports)")
        other.task.dispose()
        stage.advance(.seconds(60))
        stage.bluez.silenceController(until: .discoveryStart)
        stage.advance(.seconds(60))
        #expect(stage.helpers == [.restartScan] && link.isUp, "\(stage.reports)")
    }
}

private final class LinkRecord: Sendable {
    let state = Guarded("")
    let task = SerialDisposable()

    var isUp: Bool { state.withLock { $0 == "connected" } }
}
