import Rx
import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of reads and writes of attributes.
struct GattTests {
    private static let changed = Stage.strap + "/service0006/char0007"
    private static let rate = Stage.strap + "/service000a/char000b"
    private static let location = Stage.strap + "/service000a/char000e"
    private static let control = Stage.strap + "/service000a/char0010"
    private static let none = Value.properties([:])

    private func stage() -> Stage {
        let stage = Stage()
        stage.connect(Stage.strap)
        return stage
    }

    @Test func `Objects have the properties of the real ones`() {
        let stage = stage()
        let all = { (path: String, interface: String) in
            let call = stage.client.call(
                path, "org.freedesktop.DBus.Properties.GetAll", [.string("org.bluez.\(interface)")])
            return stage.wait(for: call).replacing("hci0/dev_C0_FF_EE_00_00_01", with: "D")
        }
        #expect(
            all(Stage.strap + "/service000a", "GattService1")
                == "ok {UUID: 0000180d, Device: D, Primary: true, Includes: []}")
        #expect(
            all(Self.rate, "GattCharacteristic1")
                == "ok {UUID: 00002a37, Service: D/service000a, Value: <>, Notifying: false, Flags: [read, notify], "
                + "NotifyAcquired: false, MTU: 517}")
        #expect(
            all(Self.control, "GattCharacteristic1")
                == "ok {UUID: 00002a39, Service: D/service000a, Value: <>, "
                + "Flags: [read, write-without-response, write], WriteAcquired: false, MTU: 517}")
        #expect(
            all(Self.rate + "/desc000d", "GattDescriptor1")
                == "ok {UUID: 00002902, Characteristic: D/service000a/char000b, Value: <>}")
    }

    @Test(.proves(.Q95)) func `A read changes Value before its reply`() {
        let stage = stage()
        #expect(stage.characteristic(Self.location, "ReadValue", Self.none) == "ok <1>")
        #expect(
            stage.seen() == ["hci0/dev_C0_FF_EE_00_00_01/service000a/char000e {Value: <1>}", "ReadValue -> ok <1>"])
    }

    @Test func `A written value can be read, also from an offset`() {
        let stage = stage()
        let request = Value.properties(["type": .string("request")])
        #expect(stage.characteristic(Self.control, "WriteValue", .bytes([1, 2, 3]), request) == "ok")
        #expect(stage.characteristic(Self.control, "ReadValue", Self.none) == "ok <1 2 3>")
        let offset = Value.properties(["offset": .uint16(1)])
        #expect(stage.characteristic(Self.control, "ReadValue", offset) == "ok <2 3>")
        #expect(stage.characteristic(Self.control, "WriteValue", .bytes([9]), offset) == "ok")
        #expect(stage.characteristic(Self.control, "ReadValue", Self.none) == "ok <1 9>")
        let far = Value.properties(["offset": .uint16(9)])
        #expect(stage.characteristic(Self.control, "ReadValue", far) == "InvalidArguments: Invalid offset")
        let wrong = Value.properties(["offset": .string("1")])
        #expect(
            stage.characteristic(Self.control, "ReadValue", wrong)
                == "InvalidArguments: Invalid arguments in method call")
    }

    @Test func `Unsupported operations are refused`() {
        let stage = stage()
        #expect(stage.characteristic(Self.changed, "ReadValue", Self.none) == "NotPermitted: Read not permitted")
        #expect(
            stage.characteristic(Self.location, "WriteValue", .bytes([1]), Self.none)
                == "NotSupported: Operation is not supported")
        #expect(
            stage.characteristic(Self.location, "WriteValue", .bytes([1]), .properties(["type": .string("request")]))
                == "NotPermitted: Write not permitted")
        #expect(stage.characteristic(Self.location, "StartNotify") == "NotSupported: Operation is not supported")
        #expect(stage.characteristic(Self.location, "StopNotify") == "Failed: No notify session started")
    }

    @Test(.proves(.Q97)) func `A write without response is answered at once, even if it is dropped`() {
        let stage = stage()
        let command = Value.properties(["type": .string("command")])
        #expect(stage.characteristic(Self.location, "WriteValue", .bytes([9]), command) == "ok")
        #expect(stage.characteristic(Self.location, "ReadValue", Self.none) == "ok <1>")
        #expect(stage.characteristic(Self.control, "WriteValue", .bytes([9]), command) == "ok")
        #expect(stage.characteristic(Self.control, "ReadValue", Self.none) == "ok <9>")
    }

    @Test(.proves(.Q99)) func `Values above the MTU or 512 bytes are refused`() {
        let stage = stage()
        let long = Value.bytes(Array(repeating: 7, count: 600))
        #expect(
            stage.characteristic(Self.control, "WriteValue", long, .properties(["type": .string("command")]))
                == "Failed: Failed to initiate write")
        #expect(
            stage.characteristic(Self.control, "WriteValue", long, .properties(["type": .string("request")]))
                == "InvalidArguments: Invalid Length")
        let command = Value.properties(["type": .string("command"), "offset": .uint16(1)])
        #expect(
            stage.characteristic(Self.control, "WriteValue", .bytes([1]), command)
                == "NotSupported: Operation is not supported")
    }

    @Test(.proves(.Q94)) func `An attribute has one write at a time, and equal reads share a request`() {
        let stage = stage()
        let read = { stage.client.call(Self.control, "org.bluez.GattCharacteristic1.ReadValue", [$0]) }
        let write = { (value: UInt8) in
            stage.client.call(
                Self.control, "org.bluez.GattCharacteristic1.WriteValue", [.bytes([value]), Self.none])
        }
        let calls = [read(Self.none), read(Self.none), read(.properties(["offset": .uint16(1)])), write(1), write(2)]
        stage.run(.milliseconds(100))
        #expect(calls.map(\.line) == ["ok <0>", "ok <0>", "InProgress: In Progress", "ok", "InProgress: In Progress"])
        #expect(stage.seen().filter { $0.contains("Value:") }.count == 1)
    }

    @Test(.proves(.Q96)) func `The ATT error code is in the text only`() {
        let codes: [UInt8] = [0x05, 0x08, 0x0E, 0x81]
        let asked = Guarded(0)
        let peripheral = SimulatedPeripheral("Errors", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
            SimulatedService("fff0") {
                SimulatedCharacteristic(
                    "fff1",
                    .read { _ in
                        let count = asked.withLock { count in
                            defer { count += 1 }
                            return count
                        }
                        return .error(codes[count])
                    },
                    .write { $0.isEmpty ? .error(0x80) : .accepted })
            }
        }
        let stage = Stage(Scenario(peripherals: [peripheral]))
        let path = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
        stage.connect(path)
        let characteristic = path + "/service000a/char000b"
        let answers = codes.map { _ in stage.characteristic(characteristic, "ReadValue", Self.none) }
        let expected = [
            "NotPermitted: Not paired", "NotAuthorized: Operation Not Authorized",
            "Failed: Operation failed with ATT error: 0x0e", "Failed: Operation failed with ATT error: 0x81",
        ]
        #expect(answers == expected)
        #expect(
            stage.characteristic(characteristic, "WriteValue", .bytes([]), Self.none)
                == "Failed: Operation failed with ATT error: 0x80")
    }

    @Test(.proves(.Q112)) func `Without a link, reads fail, but Value remains`() {
        let stage = stage()
        stage.characteristic(Self.location, "ReadValue", Self.none)
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(1))
        #expect(stage.characteristic(Self.location, "ReadValue", Self.none) == "Failed: Not connected")
        #expect(
            stage.characteristic(Self.control, "WriteValue", .bytes([1]), Self.none) == "Failed: Not connected")
        #expect(stage.property(Self.location, "GattCharacteristic1", "Value") == "<1>")
        #expect(stage.property(Self.location, "GattCharacteristic1", "MTU") == "InvalidArgs: No such property 'MTU'")
    }

    @Test func `Pending requests fail with an unlikely error after the link ended`() {
        let stage = stage()
        let read = stage.client.call(Self.control, "org.bluez.GattCharacteristic1.ReadValue", [Self.none])
        let write = stage.client.call(
            Self.control, "org.bluez.GattCharacteristic1.WriteValue", [.bytes([1]), Self.none])
        stage.run(.milliseconds(5))
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(5))
        let failure = "Failed: Operation failed with ATT error: 0x0e"
        #expect([read.line, write.line] == [failure, failure])
        #expect(stage.seen().first == "hci0/dev_C0_FF_EE_00_00_01 {ServicesResolved: false, Connected: false}")
    }

    @Test(.proves(.Q120)) func `A request without a reply fails after 30 s, then the link ends`() {
        let peripheral = SimulatedPeripheral("Mute", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
            SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read { _ in .silence }) }
        }
        let stage = Stage(Scenario(peripherals: [peripheral]))
        let path = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
        stage.connect(path)
        let read = stage.client.call(
            path + "/service000a/char000b", "org.bluez.GattCharacteristic1.ReadValue", [Self.none])
        stage.run(.seconds(29))
        #expect(read.isOpen)
        stage.client.log.clear()
        stage.run(.seconds(2))
        #expect(read.line == "Failed: Operation failed with ATT error: 0x0e")
        let seen = stage.seen().filter { !$0.contains("RSSI") }
        #expect(seen.first == "ReadValue -> Failed: Operation failed with ATT error: 0x0e")
        #expect(seen.dropFirst().first?.hasSuffix("{ServicesResolved: false, Connected: false}") == true)
    }

    @Test(.proves(.Q110)) func `Two services with one UUID have different values`() {
        let stage = Stage()
        stage.connect(Stage.twins)
        #expect(stage.characteristic(Stage.twins + "/service000a/char000b", "ReadValue", Self.none) == "ok <b>")
        #expect(stage.characteristic(Stage.twins + "/service000d/char000e", "ReadValue", Self.none) == "ok <16>")
    }

    @Test(.proves(.Q108)) func `Descriptors can be read, and the CCCD cannot be written`() {
        let stage = Stage()
        stage.connect(Stage.thermometer)
        let characteristic = Stage.thermometer + "/service000a/char000b"
        let ask = { (path: String, method: String, arguments: [Value]) in
            let line = stage.wait(for: stage.client.call(path, "org.bluez.GattDescriptor1.\(method)", arguments))
            return line
        }
        let name = Array("Living room".utf8).map { String($0, radix: 16) }.joined(separator: " ")
        #expect(ask(characteristic + "/desc000e", "ReadValue", [Self.none]) == "ok <\(name)>")
        #expect(
            ask(characteristic + "/desc000e", "WriteValue", [.bytes([1]), Self.none])
                == "NotPermitted: Write not permitted")
        #expect(
            ask(characteristic + "/desc000d", "WriteValue", [.bytes([1, 0]), Self.none])
                == "NotPermitted: Write not permitted")
        #expect(ask(characteristic + "/desc000d", "ReadValue", [Self.none]) == "ok <0 0>")
        stage.characteristic(characteristic, "StartNotify")
        #expect(ask(characteristic + "/desc000d", "ReadValue", [Self.none]) == "ok <1 0>")
    }

    @Test func `Invalid options are refused; only writes of characteristics check type`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let control = Stage.strap + "/service000a/char0010"
        let wrong = "InvalidArguments: Invalid arguments in method call"
        let write = { (value: [UInt8], options: [String: Value]) in
            stage.characteristic(control, "WriteValue", .bytes(value), .properties(options))
        }
        #expect(stage.characteristic(control, "ReadValue", .properties(["offset": .string("1")])) == wrong)
        #expect(stage.characteristic(control, "ReadValue", .properties(["type": .byte(1)])) == "ok <0>")
        #expect(write([1], ["Type": .byte(1)]) == wrong)
        #expect(write([1], ["type": .string("rubbish")]) == "NotSupported: Operation is not supported")
        // A long write needs at least one byte.
        #expect(write([], ["type": .string("reliable")]) == "Failed: Failed to initiate write")
        #expect(write([], ["offset": .uint16(1)]) == "Failed: Failed to initiate write")
        #expect(write([], ["type": .string("request")]) == "ok")
        let descriptor = Stage.strap + "/service000a/char000b/desc000d"
        let call = stage.client.call(
            descriptor, "org.bluez.GattDescriptor1.WriteValue", [.bytes([1]), .properties(["type": .byte(1)])])
        #expect(stage.wait(for: call) == "NotPermitted: Write not permitted")
    }

    @Test func `bluetoothd subscribes to Service Changed by itself`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let call = stage.client.call(
            Stage.strap + "/service0006/char0007/desc0009", "org.bluez.GattDescriptor1.ReadValue", [.properties([:])])
        #expect(stage.wait(for: call) == "ok <2 0>")
    }
}
