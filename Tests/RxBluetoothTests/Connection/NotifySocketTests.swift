import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Notifications over a socket instead of signals.
struct NotifySocketTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let notifying: Characteristic

    init() {
        (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
    }

    func notify(_ value: [UInt8]) {
        stage.simulation.bluez.notify(value, from: Sensor.text, "fff2")
    }

    @Test(.proves(.S69, .S76, .Q102))
    func `One socket serves all subscribers in order, and the last dispose releases it`() {
        for round in 1...2 {
            let first = stage.record(notifying.observeValueUpdates(using: .socket))
            let second = stage.record(notifying.observeValueUpdates(using: .socket))
            stage.advance(50)
            // This subscriber does not require a socket, but it also gets the values of the open socket.
            let third = stage.record(notifying.observeValueUpdates())
            stage.advance(0)
            for number in 0..<100 { notify([UInt8(number)]) }
            stage.advance(5)
            for one in [first, second, third] { #expect(one.elements == (0..<100).map { [$0] }) }
            first.dispose()
            second.dispose()
            stage.advance(5)
            #expect(stage.notifyCount("StopNotify") == round - 1)
            third.dispose()
            stage.advance(5)
            #expect(stage.notifyCount("AcquireNotify") == round)
            #expect(stage.notifyCount("StopNotify") == round)
            stage.expectSettled()
        }
        #expect(stage.notifyCount("StartNotify") == 0)
    }

    @Test(.proves(.S64, .Q95)) func `Reads do not appear as notifications over a socket`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        let read = stage.record(notifying.readValue())
        stage.advance(50)
        #expect(read.elements == [[7]])
        let other = OtherProgram(on: stage, calls: "ReadValue", of: notifying, options: [:])
        stage.advance(50)
        notify([1])
        stage.advance(5)
        #expect(values.elements == [[1]])
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.Q105)) func `A socket is refused while signals are in use, and works afterwards`() {
        let first = stage.record(notifying.observeValueUpdates())
        stage.advance(50)
        let second = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(1)
        #expect(second.kind == .exclusiveUse)
        #expect(first.isLive)
        first.dispose()
        let third = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        notify([3])
        stage.advance(5)
        #expect(third.elements == [[3]])
        #expect(stage.methods == ["StartNotify", "StopNotify", "AcquireNotify"])
    }

    @Test(.proves(.Q105)) func `An abandoned StartNotify does not refuse a socket`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        for answer in ["success", "failure", "none"] {
            let first = stage.record(characteristic.observeValueUpdates())
            stage.advance(0)
            first.dispose()
            let second = stage.record(characteristic.observeValueUpdates(using: .socket))
            let third = stage.record(characteristic.observeValueUpdates(using: .socket))
            stage.advance(0)
            #expect(second.isLive && third.isLive)
            daemon.notifies([9])
            stage.advance(0)
            switch answer {
            case "success": daemon.take("StartNotify").reply()
            case "failure": daemon.take("StartNotify").fail("org.bluez.Error.Failed", "Operation failed")
            default: stage.advance(30_000)
            }
            stage.advance(0)
            if answer != "failure" { daemon.take("StopNotify").reply() }
            stage.advance(0)
            // The value 9 came by a signal, so the subscribers that require a socket must not get it.
            #expect(second.elements.isEmpty && second.isLive)
            daemon.take("AcquireNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
            stage.advance(0)
            #expect([second.kind, third.kind] == [.exclusiveUse, .exclusiveUse])
        }
        #expect(link.isLive)
    }

    @Test(.proves(.Q105)) func `An abandoned AcquireNotify serves later subscribers of either kind`() {
        let (stage, daemon, peripheral) = Stage.scripted(ScriptedDaemon.Objects.oneKnownDevice.of5_87)
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let first = stage.record(characteristic.observeValueUpdates(using: .socket))
        stage.advance(0)
        first.dispose()
        let second = stage.record(characteristic.observeValueUpdates())
        let third = stage.record(characteristic.observeValueUpdates(using: .socket))
        stage.advance(0)
        #expect(second.isLive && third.isLive)
        daemon.take("AcquireNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        #expect(third.kind == .exclusiveUse)
        // The second subscriber does not require a socket, so it gets a start of its own.
        #expect(second.isLive)
        daemon.take("StartNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        #expect(second.kind == .exclusiveUse)
        #expect(link.isLive)
    }

    @Test(.proves(.Q105)) func `AcquireNotify follows an abandoned StartNotify and delivers values`() {
        let first = stage.record(notifying.observeValueUpdates())
        stage.advance(1)
        first.dispose()
        let second = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(200)
        notify([4])
        stage.advance(5)
        #expect(second.elements == [[4]])
        #expect(stage.methods == ["StartNotify", "StopNotify", "AcquireNotify"])
    }

    @Test(.proves(.Q105)) func `Errors of AcquireNotify map to kinds, and a reply needs a socket`() {
        let (stage, daemon, peripheral) = Stage.scripted(ScriptedDaemon.Objects.oneKnownDevice.of5_87)
        let link = stage.connect(peripheral, daemon)
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        for (name, text, kind) in [
            ("NotPermitted", "Notify acquired", BluetoothError.Kind.exclusiveUse), ("InProgress", "In Progress", .busy),
            ("NotSupported", "Operation is not supported", .unsupported),
        ] {
            let values = stage.record(characteristic.observeValueUpdates(using: .socket))
            stage.advance(0)
            daemon.take("AcquireNotify").fail("org.bluez.Error." + name, text)
            stage.advance(0)
            #expect(values.kind == kind)
        }
        // A success reply without a socket is a protocol violation.
        let values = stage.record(characteristic.observeValueUpdates(using: .socket))
        stage.advance(0)
        daemon.take("AcquireNotify").reply()
        stage.advance(0)
        #expect(values.kind == .protocolViolation)
        #expect(daemon.count("StopNotify") == 1)
        #expect(link.isLive)
    }

    @Test(.proves(.S65)) func `A characteristic with indications only refuses a socket`() {
        let indicating = stage.characteristic(0x2A19, of: peripheral)
        let values = stage.record(indicating.observeValueUpdates(using: .socket))
        stage.advance(1)
        #expect(values.kind == .notPermitted)
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.S59, .Q107)) func `The end of the socket reports the link's reason after the last values`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        for number in 0..<10 { notify([UInt8(number)]) }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5)
        #expect(values.elements == (0..<10).map { [$0] })
        #expect(values.kind == .linkLost(.remote))
        #expect(link.kind == .linkLost(.remote))
    }

    @Test(.proves(.Q107)) func `StopNotify of another program ends the stream, and a new socket works`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        let other = OtherProgram(on: stage, calls: "StopNotify", of: notifying)
        stage.advance(10)
        #expect(values.kind == .exclusiveUse)
        let again = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        notify([1])
        stage.advance(5)
        #expect(again.elements == [[1]])
        #expect(link.isLive)
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.S81, .Q106), .covers(.notificationSocket))
    func `A socket delivers a thousand values a second without a gap`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        for number in 0..<1000 {
            notify([UInt8(number >> 8), UInt8(number & 0xFF)])
            stage.advance(1)
        }
        stage.advance(5)
        #expect(values.elements == (0..<1000).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    @Test(.proves(.S69)) func `An empty value is delivered, and the socket stays open`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        stage.advance(50)
        for value in [[1], [], [2], []] as [[UInt8]] { notify(value) }
        stage.advance(5)
        notify([3])
        stage.advance(5)
        #expect(values.elements == [[1], [], [2], [], [3]])
        #expect(values.isLive)
    }

    @Test(.proves(.S81, .Q106)) func `Values that wait together pass through the buffer one by one`() {
        for (overflow, expected, drops) in [
            (ValueBuffer.Overflow.fail, [0, 1, 2], 1), (.dropOldest, [7, 8, 9], 7), (.dropNewest, [0, 1, 2], 7),
        ] {
            let before = notifying.droppedValueCount
            let values = stage.record(
                notifying.observeValueUpdates(using: .socket, buffer: ValueBuffer(capacity: 3, overflow: overflow)))
            let other = stage.record(notifying.observeValueUpdates(using: .socket))
            stage.advance(50)
            for number in 0..<10 { notify([UInt8(number)]) }
            stage.advance(5)
            #expect(values.elements == expected.map { [UInt8($0)] })
            #expect(values.kind == (overflow == .fail ? .overflow : nil))
            #expect(notifying.droppedValueCount - before == drops)
            #expect(other.elements == (0..<10).map { [UInt8($0)] })
        }
    }

    @Test(.proves(.S53, .Q111)) func `The socket of a removed characteristic ends like the characteristic`() {
        let values = stage.record(notifying.observeValueUpdates(using: .socket))
        let automatic = stage.record(notifying.observeValueUpdates(using: .automatic))
        stage.advance(50)
        notify([1])
        stage.simulation.bluez.changeServices(of: Sensor.text, to: [])
        stage.advance(50)
        #expect(values.elements == [[1]])
        #expect([values.kind, automatic.kind] == [.attributeNotFound, .attributeNotFound])
        #expect(stage.notifyCount("StartNotify") == 0)
        #expect(link.isLive)
    }

    @Test(.proves(.S77, .Q108)) func `Updates are notifications or indications, and notifications if both exist`() {
        #expect(notifying.updates == .notifications)
        #expect(stage.characteristic(0x2A19, of: peripheral).updates == .indications)
        #expect(stage.characteristic(Sensor.value, of: peripheral).updates == nil)
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneKnownDevice.setting(
                ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1",
                ["Flags": .strings(["indicate", "notify"])]))
        let link = stage.connect(peripheral, daemon)
        let both = stage.characteristic(0x2A37, of: peripheral)
        #expect(both.updates == .notifications)
        #expect(link.isLive)
    }
}
