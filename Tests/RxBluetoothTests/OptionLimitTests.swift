import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Options at and beyond their limits. They cause a typed error, or the nearest valid value is used.
struct OptionLimitTests {
    private static let none: [Duration] = [.seconds(Int64.min), .seconds(-1), .zero]
    private static let longest = Duration(
        secondsComponent: Int64.max, attosecondsComponent: 999_999_999_999_999_999)

    @Test(arguments: none)
    func `A restart silence of zero or less is invalid for scans and presence`(silence: Duration) {
        for state in [nil, BluetoothState.poweredOff, .daemonUnavailable] {
            for resumes in [false, true] {
                let stage = Stage(with: [])
                let states = stage.record(stage.manager.state)
                stage.advance(10)
                if let state { stage.bringAbout(state) }
                stage.advance(1_000)
                stage.simulation.bluez.forgetCalls()
                let options = ScanOptions(resumes: resumes, restartsAfterSilence: silence)
                let scan = stage.record(stage.manager.scanForPeripherals(options: options))
                let presence = stage.record(stage.manager.observePresence(options: options))
                stage.advance(1_000)
                for error in [scan.error, presence.error] {
                    #expect(error?.kind == .invalidArgument && error?.operation == .scan)
                    #expect(error?.description.contains("ScanOptions.restartsAfterSilence") == true)
                }
                #expect(stage.methods.isEmpty && states.isLive)
            }
        }
    }

    @Test(arguments: [Duration(secondsComponent: 0, attosecondsComponent: 1), .seconds(Int64.max / 8), longest])
    func `A scan with any positive restart silence settles after its disposal`(silence: Duration) {
        let stage = Stage(with: [])
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(restartsAfterSilence: silence)))
        stage.advance(1)
        #expect(scan.isLive)
        #expect(stage.count("StartDiscovery") >= 1)
        scan.dispose()
        stage.advance(10_000)
        stage.expectSettled()
    }

    @Test(arguments: none + [.milliseconds(1), longest], none + [.milliseconds(1), .seconds(Int64.max / 2), longest])
    func `Reconnection with any delays and jitter never retries without a pause`(first: Duration, last: Duration) {
        for jitter in [0, 1, -1, Double.nan, Double.infinity, -Double.infinity, Double.greatestFiniteMagnitude] {
            let (stage, peripheral) = Stage.withSensor()
            stage.simulation.bluez.add(
                Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
            let policy = Reconnection(
                initialDelay: first, maximumDelay: last, jitter: jitter, limit: Self.longest, seed: 7)
            let link = stage.record(peripheral.connect(options: .reconnect(policy)))
            stage.advance(500)
            #expect(link.isLive)
            #expect((1...51).contains(stage.count("Connect")))
            link.dispose()
            stage.advance(1_000)
            stage.expectSettled()
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, Int.max])
    func `Reconnection accepts any attempt limit and makes at least one attempt`(attempts: Int) {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let policy = Reconnection(jitter: 0, attempts: attempts)
        let link = stage.record(peripheral.connect(options: .reconnect(policy)))
        stage.advance(10_000)
        #expect(link.isLive == (attempts == .max))
        #expect(stage.count("Connect") == (attempts == .max ? 6 : max(1, attempts)))
    }

    @Test(arguments: none)
    func `A reconnection limit of zero or less is refused; a later connect succeeds`(limit: Duration) {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(within: limit)))
        stage.advance(1_000)
        #expect(link.kind == .invalidArgument)
        #expect(link.error?.operation == .connect && link.error?.target == Sensor.text)
        #expect(stage.methods.isEmpty)
        #expect(stage.connect(peripheral).isLive)
    }

    private static let setters: [@Sendable (inout Deadlines, Duration) -> Void] = [
        { $0.connect = $1 }, { $0.services = $1 }, { $0.operation = $1 }, { $0.pair = $1 }, { $0.disconnect = $1 },
        { $0.disconnectReasonGrace = $1 }, { $0.rssi = $1 }, { $0.startScan = $1 }, { $0.stopScan = $1 },
        { $0.snapshot = $1 },
        { $0.diagnosis = $1 }, { $0.cleanup = $1 }, { $0.request = $1 }, { $0.exclusiveAccess = $1 },
        { $0.openChannel = $1 }, { $0.power = $1 },
    ]

    @Test(arguments: setters.indices, none + [longest])
    func `The manager settles with any value of any deadline`(setter: Int, deadline: Duration) {
        var deadlines = Deadlines()
        Self.setters[setter](&deadlines, deadline)
        let stage = Stage(with: [Sensor.peripheral], deadlines: deadlines)
        let values = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(resumes: true)).map(\.peripheral).take(1)
                .flatMap { $0.connect(options: .reconnect()) }
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
                .flatMap { $0.observeValueUpdates() })
        let diagnosis = stage.record(stage.manager.diagnose())
        stage.advance(5_000)
        #expect(diagnosis.isCompleted)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(10)
        if let peripheral = known.elements.first?.first?.peripheral {
            for task in [peripheral.readRSSI().asCompletable(), peripheral.pair()] {
                let recording = stage.record(task)
                stage.advance(2_000)
                recording.dispose()
            }
        }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        values.dispose()
        stage.advance(20_000)
        stage.expectSettled()
    }

    @Test(.proves(.S81), arguments: [Int.min, -1, 0])
    func `A value buffer has a capacity of at least one`(capacity: Int) {
        #expect(ValueBuffer(capacity: capacity).capacity == 1)
        var buffer = ValueBuffer()
        buffer.capacity = capacity
        #expect(buffer == ValueBuffer(capacity: 1))
    }
}
