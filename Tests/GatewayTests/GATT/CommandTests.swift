import Gateway
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Commands over MQTT on simulated devices.
@Suite struct CommandTests {
    private static let strap = "C0:FF:EE:00:00:01"
    private let strap: BluetoothAddress = "C0:FF:EE:00:00:01"

    /// A strap that notifies a value 100 ms after each write of its control point, and echoes the written byte.
    private func setup(
        _ jobs: [GATTJob] = [], faults: [Fault] = [], script: [ScriptedEvent] = [], inRange: Bool = true
    ) -> GATTSetup {
        var scenario = Scenario(seed: 3) { SimulatedPeripheral.strap(advertises: inRange) }
        scenario.faults = faults
        scenario.script = script
        return GATTSetup(scenario, [DeviceSettings(strap, jobs)])
    }

    @Test func `A read answers with the bytes and the fields`() {
        let setup = setup()
        setup.send(#"{"id":"1","read":"2A38"}"#, to: strap)
        setup.advance(by: .seconds(10))
        let fields = #""fields":{"Body Sensor Location":1}"#
        #expect(
            setup.results == [
                #"{"id":"1","ok":true,"values":[{"step":0,"characteristic":"2A38","hex":"01",\#(fields)}]}"#
            ])
    }

    @Test func `The level of a battery service that bluetoothd hides is read`() {
        let setup = setup()
        setup.send(#"{"id":"1","read":"2A19"}"#, to: strap)
        setup.advance(by: .seconds(10))
        #expect(setup.results.count == 1 && setup.results[0].contains(#""hex":"57""#), "\(setup.results)")
    }

    @Test func `A write and the notification that answers it are one transaction`() {
        let answer = Fault(
            "GattCharacteristic1.WriteValue",
            .meanwhile(after: .milliseconds(100)) {
                $0.notify([0, 72], from: Self.strap, "2a37")
            })
        let setup = setup(faults: [answer])
        let steps = #"[{"write":"2A39","value":"01"},{"wait":"2A37","within":"5s"},{"read":"2A38"}]"#
        setup.send(#"{"id":"x","steps":\#(steps),"deadline":"30s"}"#, to: strap)
        setup.advance(by: .seconds(10))
        #expect(setup.results.count == 1)
        #expect(setup.results.first?.contains(#"{"step":1,"characteristic":"2A37","hex":"0048""#) == true)
        #expect(setup.results.first?.contains(#"{"step":2,"characteristic":"2A38","hex":"01""#) == true)
        #expect(setup.results.first?.contains(#""ok":true"#) == true, "\(setup.results)")
    }

    @Test func `A notification before the write does not answer it`() {
        let script = (0..<20).map { second in
            at(.seconds(second)) { $0.notify([0, 1], from: Self.strap, "2a37") }
        }
        let setup = setup([GATTJob(.notify, of: "2A37")], script: Array(script.prefix(4)))
        setup.advance(by: .milliseconds(3500))
        setup.send(#"{"id":"x","steps":[{"write":"2A39","value":"01"},{"wait":"2A37","within":"2s"}]}"#, to: strap)
        setup.advance(by: .seconds(10))
        #expect(setup.results.count == 1)
        #expect(setup.results.first?.contains(#""kind":"timed-out""#) == true, "\(setup.results)")
        #expect(setup.results.first?.contains(#""step":1"#) == true)
    }

    @Test func `A command without its device is answered at the deadline`() {
        let setup = setup(inRange: false)
        setup.send(#"{"id":"1","read":"2A38","deadline":"20s"}"#, to: strap)
        setup.advance(by: .milliseconds(19_990))
        #expect(setup.results.isEmpty)
        setup.advance(by: .milliseconds(50))
        let text = "C0:FF:EE:00:00:01 is not in range of this gateway"
        #expect(
            setup.results == [
                #"{"id":"1","ok":false,"values":[],"error":{"kind":"deadline","text":"\#(text)"}}"#
            ])
    }

    @Test func `A write that is never answered ends at the deadline, with an unknown outcome`() {
        let setup = setup(faults: [Fault("GattCharacteristic1.WriteValue", .never)])
        setup.send(#"{"id":"1","write":"2A39","value":"01","deadline":"10s"}"#, to: strap)
        setup.send(#"{"id":"2","read":"2A38","deadline":"60s"}"#, to: strap)
        setup.advance(by: .seconds(61))
        #expect(setup.results.count == 2)
        #expect(setup.results.first?.contains(#""kind":"deadline""#) == true, "\(setup.results)")
        #expect(setup.results.first?.contains(#""outcome_unknown":true"#) == true)
    }

    @Test func `The end of a link fails the running command, and the next one uses the next link`() {
        let drop = Fault(
            "GattCharacteristic1.WriteValue", calls: .only(1),
            .meanwhile(after: .milliseconds(1)) { $0.dropLink(to: Self.strap, reason: .timeout) })
        let setup = setup(faults: [drop, Fault("GattCharacteristic1.WriteValue", calls: .only(1), .late(.seconds(1)))])
        setup.send(#"{"id":"1","write":"2A39","value":"01"}"#, to: strap)
        setup.send(#"{"id":"2","read":"2A38"}"#, to: strap)
        setup.advance(by: .seconds(20))
        #expect(setup.results.count == 2)
        #expect(setup.results.first?.contains(#""kind":"disconnected""#) == true, "\(setup.results)")
        #expect(setup.results.last?.contains(#""ok":true"#) == true, "\(setup.results)")
    }

    @Test(arguments: [
        (#"{"id":"1","read":"2A37"}"#, "not-permitted"), (#"{"id":"1","read":"FFF1"}"#, "attribute-not-found"),
        (#"{"id":"1","write":"2A38","value":"00"}"#, "not-permitted"),
    ])
    func `An operation that the device does not offer fails at its step`(text: String, kind: String) {
        let setup = setup()
        setup.send(text, to: strap)
        setup.advance(by: .seconds(10))
        #expect(setup.results.count == 1)
        #expect(setup.results.first?.contains(#""kind":"\#(kind)""#) == true, "\(setup.results)")
        #expect(setup.results.first?.contains(#""step":0"#) == true)
    }

    @Test func `If a characteristic of any step is missing, nothing is written`() {
        let setup = setup()
        setup.send(#"{"id":"1","steps":[{"write":"2A39","value":"01"},{"read":"FFF1"}]}"#, to: strap)
        setup.advance(by: .seconds(10))
        #expect(setup.results.first?.contains(#""step":1"#) == true, "\(setup.results)")
        #expect(setup.simulation.recorder.count("GattCharacteristic1.WriteValue") == 0)
    }

    @Test func `Each of many commands gets one result, and one id is executed once`() {
        let setup = setup([GATTJob(.notify, of: "2A37")])
        setup.send(#"{"id":"old","write":"2A39","value":"01"}"#, to: strap, isRetained: true)
        for id in 0..<40 {
            setup.send(#"{"id":\#(id),"write":"2A39","value":"01"}"#, to: strap)
            setup.send(#"{"id":\#(id),"write":"2A39","value":"01"}"#, to: strap)
        }
        setup.advance(by: .seconds(60))
        let succeeded = setup.results.count { $0.contains(#""ok":true"#) }
        // Of each refused command, the repetition is refused too.
        #expect(setup.results.count { $0.contains(#""kind":"gateway-busy""#) } == 64)
        #expect(succeeded == 8)
        #expect(setup.simulation.recorder.count("GattCharacteristic1.WriteValue") == 8)
        #expect(setup.results.allSatisfy { !$0.contains("old") })
    }

    @Test func `A command during a job does not end the notifications`() {
        let script = (10..<30).map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: Self.strap, "2a37") }
        }
        let setup = setup([GATTJob(.notify, of: "2A37")], script: script)
        setup.advance(by: .seconds(15))
        setup.send(#"{"id":"x","steps":[{"write":"2A39","value":"01"},{"wait":"2A37"}]}"#, to: strap)
        setup.advance(by: .seconds(30))
        #expect(setup.values(of: strap).map(\.bytes) == (10..<30).map { [0, UInt8($0)] })
        #expect(setup.results.first?.contains(#""ok":true"#) == true, "\(setup.results)")
    }
}
