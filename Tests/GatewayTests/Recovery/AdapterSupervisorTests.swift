import Gateway
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

@Suite struct AdapterSupervisorTests {
    @Test(.proves(.Q42), arguments: RecoveryFault.all)
    func `A silent adapter receives again within 60 s`(_ row: RecoveryFault) {
        let stage = RecoveryStage(usesManagement: row.usesManagement)
        stage.advance(.seconds(120))
        #expect(stage.steps.isEmpty && stage.heard.count > 200)
        stage.forget()
        let start = stage.scheduler.clock
        row.begin(stage)
        stage.advance(.seconds(90))
        #expect(stage.helpers == [row.helper], "\(stage.reports)")
        #expect(stage.longestGap(since: start) <= 60, "\(stage.reports)")
        #expect(stage.supervisor.status.counts[row.helper]?.helped == 1)
        // The same fault again: the step that has helped is taken first.
        stage.advance(.seconds(60))
        stage.forget()
        row.begin(stage)
        stage.advance(.seconds(90))
        #expect(stage.steps.first == row.helper || row.helper == .otherSource, "\(stage.reports)")
        #expect(stage.close())
    }

    @Test func `Without faults there is no step, and one wake-up in 10 s`() {
        let stage = RecoveryStage()
        stage.advance(.seconds(3600))
        #expect(stage.reports.isEmpty && stage.supervisor.status.isSilent == false)
        #expect(stage.longestGap(since: 0) <= 2.1)
        #expect(stage.close())
    }

    @Test func `An adapter that a user switches off is left off, and scans when it is on again`() {
        let stage = RecoveryStage()
        stage.advance(.seconds(60))
        stage.bluez.setPower(false)
        stage.advance(.seconds(600))
        #expect(stage.steps.isEmpty && stage.reports.map(\.report) == [.waiting(.poweredOff)])
        #expect(stage.supervisor.status.obstacle == .poweredOff)
        let start = stage.scheduler.clock
        stage.bluez.setPower(true)
        stage.advance(.seconds(10))
        #expect(stage.longestGap(since: start) <= 5 && stage.reports.last?.report == .ready)
    }

    @Test(arguments: ["blocked", "unplugged", "bluetoothd"])
    func `After an obstacle, advertisements are received within seconds`(_ obstacle: String) {
        let stage = RecoveryStage()
        stage.advance(.seconds(60))
        switch obstacle {
        case "blocked": stage.bluez.setBlocked(true)
        case "unplugged": stage.bluez.removeAdapter()
        default: stage.bluez.crash()
        }
        stage.advance(.seconds(300))
        #expect(stage.steps.isEmpty && stage.supervisor.status.obstacle != nil)
        let start = stage.scheduler.clock
        switch obstacle {
        case "blocked": stage.bluez.setBlocked(false)
        case "unplugged": stage.bluez.addAdapter(as: 3)
        default: stage.bluez.start()
        }
        stage.advance(.seconds(20))
        #expect(stage.longestGap(since: start) <= 10, "\(stage.reports)")
    }

    @Test func `A controller that needs another plug-in is tried with growing pauses`() {
        let stage = RecoveryStage()
        stage.advance(.seconds(60))
        stage.bluez.silenceController(until: .plugIn)
        stage.advance(.seconds(3600))
        #expect(stage.helpers.isEmpty && stage.steps.count > 20 && stage.steps.count < 60)
        let start = stage.scheduler.clock
        stage.bluez.replugAdapter(as: 0)
        stage.advance(.seconds(20))
        #expect(stage.longestGap(since: start) <= 10)
    }

    @Test func `A power cycle that fails half-way is completed`() {
        let stage = RecoveryStage(resets: false)
        stage.advance(.seconds(60))
        stage.bluez.silenceController(until: .powerOn)
        // The second call switches on.
        stage.bluez.add(
            Fault("Properties.Set", property: "Powered", calls: .only(2), .error("org.bluez.Error.Failed")))
        stage.advance(.seconds(120))
        #expect(stage.supervisor.status.obstacle == nil)
        #expect(stage.longestGap(since: 60_000) <= 60, "\(stage.reports)")
    }

    @Test func `Steps that are not permitted are not tried`() {
        var settings = RecoverySettings()
        settings.allowsPowerCycle = false
        let stage = RecoveryStage(settings: settings, resets: false)
        stage.advance(.seconds(60))
        stage.bluez.silenceController(until: .plugIn)
        stage.advance(.seconds(600))
        #expect(Set(stage.steps) == [.restartScan, .newSession])
    }

    @Test func `The management socket is left again if it does not help`() {
        let stage = RecoveryStage(usesManagement: true)
        stage.advance(.seconds(60))
        stage.bluez.setManagementDeaf(true)
        stage.advance(.seconds(60))
        #expect(stage.helpers == [.otherSource] && !stage.supervisor.status.usesManagement)
        stage.forget()
        let start = stage.scheduler.clock
        stage.bluez.silenceController(until: .powerOn)
        stage.advance(.seconds(60))
        #expect(stage.steps.contains(.otherSource) && stage.helpers == [.powerCycle])
        #expect(stage.longestGap(since: start) <= 60, "\(stage.reports)")
    }

    @Test func `A replaced manager is closed, and the new one is reported`() {
        let stage = RecoveryStage()
        var reported = 0
        stage.supervisor.onManager = { _ in reported += 1 }
        stage.advance(.seconds(60))
        stage.stallBus()
        stage.advance(.seconds(60))
        #expect(stage.managers == 2 && reported == 1)
        #expect(stage.close() && stage.supervisor.manager == nil)
    }
}
