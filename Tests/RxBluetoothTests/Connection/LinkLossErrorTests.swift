import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Errors of operations and streams when the link is lost, also during pairing.
struct LinkLossErrorTests {
    @Test(.proves(.S59, .S85)) func `Each error of a lost link names its operation and its attribute`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        let read = stage.record(stage.characteristic(Sensor.silent, of: peripheral).readValue())
        let write = stage.record(stage.characteristic(Sensor.value, of: peripheral).writeValue([1]))
        stage.advance(10)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(10)
        for error in [link.error, read.error, write.error, values.error] {
            #expect(error?.kind == .linkLost(.remote))
        }
        #expect(read.error?.operation == .read && read.error?.target == "FFF3 of \(Sensor.text)")
        #expect(write.error?.operation == .write && write.error?.target == "FFF1 of \(Sensor.text)")
        #expect(values.error?.operation == .notify && values.error?.target == "FFF2 of \(Sensor.text)")
        #expect(link.error?.operation == .connect && link.error?.target == Sensor.text)
        #expect(read.error?.description.hasPrefix("Reading FFF3 of \(Sensor.text): \(Ground.lossText)") == true)
    }

    @Test(.proves(.S59)) func `A lost link fails running operations first, then queued ones, then streams`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let ends = Guarded<[String]>([])
        func note<Element: Sendable>(_ name: String, _ stream: Observable<Element>) -> any Disposable {
            stream.subscribe(onError: { _ in ends.withLock { $0.append(name) } })
        }
        var all = [note("running", silent.readValue().asObservable())]
        for number in 1...9 { all.append(note("waiting \(number)", value.readValue().asObservable())) }
        for number in 1...9 { all.append(note("stream \(number)", peripheral.observeMTU())) }
        stage.advance(10)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(10)
        let order = ["running"] + (1...9).map { "waiting \($0)" } + (1...9).map { "stream \($0)" }
        #expect(ends.withLock { $0 } == order)
        #expect(!link.isLive)
        for subscription in all { subscription.dispose() }
    }

    @Test(.proves(.Q121)) func `A read that ends the link advises pairing`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(failure: .rejected), needing: .encryption, without: [.disconnectedSignal])
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        let waiting = stage.record(stage.characteristic(Lock.notifying, of: peripheral).readValue())
        stage.advance(5_000)
        // The kind is general, because bluetoothd 5.66 reports only the end of the link. The advice names pairing.
        #expect(read.kind == .disconnected(.unknown))
        #expect(read.error?.operation == .read)
        #expect(read.error?.target == "FFF1 of \(Lock.text)")
        #expect(read.error?.advice?.contains("pair with the peripheral") == true)
        #expect(waiting.kind == read.kind && link.kind == read.kind)
        #expect(link.error?.advice?.contains("pair") == false)
    }

    @Test(.proves(.Q86, .Q121)) func `A disconnect reason from bluetoothd reports that pairing was refused`() {
        var scenario = Scenario(
            peripherals: [Lock.make(SimulatedPairing(failure: .rejected), needing: .authentication)])
        scenario.features = [.disconnectedSignal]
        let stage = Stage(scenario)
        let peripheral = stage.find(Lock.address)
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        let waiting = stage.record(stage.characteristic(Lock.notifying, of: peripheral).readValue())
        stage.advance(5_000)
        let kinds = [read.kind, waiting.kind, link.kind]
        #expect(kinds == Array(repeating: .disconnected(.authentication), count: 3))
        #expect(read.error?.description.contains("pairing") == true)
        #expect(read.error?.advice?.hasPrefix("Pair with the peripheral") == true)
    }

    @Test(.proves(.Q121)) func `A link lost during an agent request is reported as lost by pairing`() throws {
        for isAnswered in [true, false] {
            let (stage, peripheral) = Stage.withLock(
                SimulatedPairing(.passkeyShown(123_456)), needing: .authentication,
                policy: PairingPolicy(.ask))
            let requests = stage.record(stage.manager.pairingRequests)
            let link = stage.connect(peripheral)
            let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
            let waiting = stage.record(stage.characteristic(Lock.notifying, of: peripheral).readValue())
            stage.advance(1_000)
            #expect(requests.elements.count == 1)
            if isAnswered {
                try requests.elements.first?.answer(.passkey(654_321))
            } else {
                stage.simulation.bluez.dropLink(to: Lock.text)
            }
            stage.advance(5_000)
            for kind in [read.kind, waiting.kind, link.kind] { #expect(kind == .disconnected(.authentication)) }
            #expect(read.error?.operation == .read)
        }
    }

    @Test(.proves(.Q121)) func `A link lost after a finished pairing has an unknown reason`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(), needing: .encryption, policy: PairingPolicy(.justWorks))
        let link = stage.connect(peripheral)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(5_000)
        #expect(read.elements == [[7]])
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(1_000)
        #expect(link.kind == .linkLost(.remote))
    }

    @Test(.proves(.S78, .Q121), arguments: [nil, 654_321])
    func `A link lost during an agent request does not end reconnection`(answer: Int?) throws {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.passkeyShown(123_456)), needing: .authentication, policy: PairingPolicy(.ask),
            without: [.disconnectedSignal])
        let person = Person(stage)
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        // Even three losses must not end the reconnection, because losses do not prove that the pairing has failed.
        for round in 1...3 {
            let read = stage.record(secret.readValue())
            stage.advance(1_000)
            #expect(person.questions.count == round)
            if let answer {
                try person.last?.answer(.passkey(UInt32(answer)))
            } else {
                stage.simulation.bluez.dropLink(to: Lock.text)
            }
            stage.advance(1_000)
            #expect(read.kind == .disconnected(.authentication))
            if let error = read.error { #expect(!Reconnection.isFinal(error)) }
            stage.advance(5_000)
            #expect(link.isLive)
        }
        let read = stage.record(secret.readValue())
        stage.advance(1_000)
        try person.last?.answer(.passkey(123_456))
        stage.advance(2_000)
        #expect(read.elements == [[7]])
        #expect(Reconnection.isFinal(BluetoothError(.disconnected(.authentication))))
    }

    @Test(.proves(.S78, .Q121)) func `The last allowed attempt fails with the link lost during the agent request`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.passkeyShown(123_456)), needing: .authentication, policy: PairingPolicy(.ask))
        let person = Person(stage)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(attempts: 1))))
        stage.advance(1_000)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(person.questions.count == 1 && read.isLive)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(1_000)
        #expect(link.kind == .disconnected(.authentication))
    }
}
