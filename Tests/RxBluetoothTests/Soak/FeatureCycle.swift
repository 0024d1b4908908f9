import RxBluetooth
import RxBluetoothMocks
import RxTest
import SoakTesting
import Testing

/// A computer that is a central and a peripheral at the same time, which uses all kinds of features in cycles.
final class FeatureCycle {
    private static let service: BluetoothUUID = 0xFFA0
    private static let value: BluetoothUUID = 0xFFA1
    private static let updates: BluetoothUUID = 0xFFA2

    let stage: Stage
    private let stored = BehaviorRelay<[UInt8]>(value: [3])

    init() {
        let sockets = SimulatedL2CAP()
        stage = Stage(Scenario(peripherals: [Sensor.peripheral]), channels: sockets)
        sockets.use(stage.simulation)
        stage.simulation.bluez.serveChannel(.echo(), psm: 128, of: Sensor.text)
    }

    /// Runs one cycle, and checks that each feature works and that each call is undone.
    func run() {
        let streams = [
            stage.record(stage.manager.adapterPower.map { _ in }), stage.record(stage.manager.isScanning.map { _ in }),
        ]
        switchAdapter()
        let publishing = stage.record(stage.manager.publish([localService]))
        let advertising = stage.record(
            stage.manager.advertise(Advertisement(services: [Self.service], isConnectable: true)))
        let link = stage.record(stage.manager.connect(to: Sensor.address, kind: .random))
        stage.advance(2_000)
        guard let peripheral = link.elements.first, let published = publishing.elements.first else {
            Issue.record("Neither connected nor published: \(link.events), \(publishing.events)")
            return
        }
        #expect(advertising.isLive)
        serve(published)
        operate(peripheral)
        openChannels(peripheral)
        for stream in streams {
            #expect(stream.isLive)
            stream.dispose()
        }
        for recording in [publishing.dispose, advertising.dispose, link.dispose] { recording() }
        stage.advance(3_000)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(!scan.elements.isEmpty)
        scan.dispose()
        stage.advance(2_000)
        stage.expectSettled()
        for (begin, end) in [
            ("StartDiscovery", "StopDiscovery"), ("StartNotify", "StopNotify"),
            ("RegisterApplication", "UnregisterApplication"), ("RegisterAdvertisement", "UnregisterAdvertisement"),
        ] {
            #expect(stage.count(begin) > 0 && stage.count(begin) == stage.count(end), "\(begin)")
        }
        #expect(stage.count("Disconnect") == 1)
        stage.simulation.bluez.forgetCalls()
    }

    /// Returns the resources after bluetoothd has removed all devices and all deadlines have passed.
    func rest() -> Footprint {
        stage.advance(300_000)
        return stage.footprint()
    }

    private var localService: LocalService {
        let stored = stored
        return LocalService(
            Self.service,
            characteristics: [
                LocalCharacteristic(
                    Self.value, [.read, .write],
                    onRead: { _ in .just(stored.value) },
                    onWrite: { request in
                        stored.accept(request.value)
                        return .empty()
                    }),
                LocalCharacteristic(Self.updates, .notify),
            ])
    }

    private func switchAdapter() {
        let off = stage.record(stage.manager.setPowered(false))
        stage.advance(1_000)
        let ready = stage.record(stage.manager.ready(within: .seconds(10)))
        let late = stage.record(stage.manager.ready(within: .milliseconds(100)))
        stage.advance(200)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(1_000)
        #expect(off.isCompleted && on.isCompleted && ready.isCompleted && late.kind == .poweredOff)
    }

    /// Lets a central use the published service.
    private func serve(_ published: PublishedServices) {
        let central = stage.simulation.bluez.connectCentral(mtu: 100)
        let (read, write) = (central.read("ffa1"), central.write([7, 8], to: "ffa1"))
        central.subscribe(to: "ffa2")
        stage.advance(1_000)
        let sent = stage.record(published.updateValue([1, 2, 3], for: Self.updates))
        stage.advance(1_000)
        #expect(read.value != nil && write.value == [] && stored.value == [7, 8])
        #expect(sent.elements == [true] && central.updates.map(\.value) == [[1, 2, 3]])
        central.disconnect()
        stage.advance(100)
    }

    /// Uses the characteristics of the sensor with options, and exclusively.
    private func operate(_ peripheral: Peripheral) {
        let (value, notifying) = (
            stage.characteristic(Sensor.value, of: peripheral), stage.characteristic(Sensor.notifying, of: peripheral)
        )
        let urgent = OperationOptions(deadline: .seconds(2), priority: .high)
        let hasty = OperationOptions(deadline: .milliseconds(1), priority: .low)
        let values = stage.record(notifying.observeValueUpdates(options: urgent))
        let reads = [stage.record(value.readValue(options: urgent)), stage.record(value.readValue(options: hasty))]
        let access = stage.record(
            peripheral.exclusively { operations in
                operations.writeValue([1], for: value).andThen(operations.readValue(for: value))
            })
        let cancelled = stage.record(peripheral.exclusively { _ in Observable<Int>.never() })
        stage.advance(500)
        cancelled.dispose()
        stage.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        stage.advance(500)
        #expect(reads[0].isCompleted && reads[1].kind == .timedOut)
        #expect(access.elements == [[1]] && access.isCompleted)
        #expect(values.elements == [[5]] && values.isLive)
    }

    /// Opens a channel in each direction, and receives what the sensor sends back.
    private func openChannels(_ peripheral: Peripheral) {
        let data = [UInt8](repeating: 9, count: 3_000)
        let opening = stage.record(peripheral.openL2CAPChannel(psm: 128))
        let refused = stage.record(peripheral.openL2CAPChannel(psm: 129))
        let listening = stage.record(stage.manager.publishL2CAPChannel())
        stage.advance(100)
        guard let channel = opening.elements.first, let listener = listening.elements.first else {
            Issue.record("No channel: \(opening.events), \(listening.events)")
            return
        }
        let received = stage.record(channel.received)
        let sent = stage.record(channel.write(data))
        let accepted = stage.record(listener.channels.flatMap { $0.received })
        stage.simulation.bluez.openChannel(.echo(), from: Sensor.text, psm: listener.psm, sending: [[4]])
        stage.advance(1_000)
        #expect(sent.isCompleted && received.elements.flatMap { $0 } == data)
        #expect(accepted.elements == [[4]])
        #expect(refused.kind == .channelRefused)
        for recording in [opening.dispose, listening.dispose, accepted.dispose, received.dispose] { recording() }
        stage.advance(3_000)
    }
}
