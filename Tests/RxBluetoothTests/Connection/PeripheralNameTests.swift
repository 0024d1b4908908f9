import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct PeripheralNameTests {
    @Test(.proves(.S83)) func `The name is emitted first, then each change, until the link ends`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let early = stage.record(peripheral.observeName())
        stage.advance(0)
        #expect(early.kind == .notConnected)
        let link = stage.connect(peripheral, daemon)
        let first = peripheral.name
        let names = stage.record(peripheral.observeName())
        stage.advance(0)
        #expect(names.elements == [first])
        for name in ["Strap", "Strap", "Belt", ""] { daemon.deviceChanges(["Name": .string(name)]) }
        daemon.deviceChanges(["Name": .uint16(7)])
        daemon.deviceChanges(["RSSI": .int16(-50)])
        stage.advance(0)
        #expect(names.elements == [first, "Strap", "Belt", nil])
        let late = stage.record(peripheral.observeName())
        stage.advance(0)
        #expect(late.elements == [nil])
        late.dispose()
        daemon.deviceChanges(["Name": .string("Strap")])
        stage.advance(0)
        #expect(names.elements.last == "Strap")
        #expect(late.elements == [nil])
        daemon.crash()
        stage.advance(0)
        #expect(names.kind == .disconnected(.daemon))
        #expect(!link.isLive)
    }

    @Test(.proves(.Q56)) func `The alias is what a user has given, and not what bluetoothd derives`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        func alias(_ changes: KeyValuePairs<String, String>) -> String? {
            for (name, text) in changes { daemon.deviceChanges([name: .string(text)]) }
            stage.advance(0)
            return peripheral.alias
        }
        #expect(alias(["Alias": peripheral.address.description.replacing(":", with: "-")]) == nil)
        #expect(alias(["Name": "Strap", "Alias": "Strap"]) == nil)
        #expect(alias(["Alias": "Kitchen"]) == "Kitchen")
        // The name of the device does not change what the user has given.
        #expect(alias(["Name": "Belt"]) == "Kitchen")
        #expect(alias(["Alias": "Belt"]) == nil)
        #expect(alias(["Alias": ""]) == nil)
        withExtendedLifetime(link) {}
    }
}
