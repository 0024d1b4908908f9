import DBus
import RxBluetoothMocks
import Testing

/// Tests of `ConnectDevice`.
struct ConnectDeviceTests {
    private static let address = "C0:FF:EE:00:00:01"

    private func connect(_ stage: Stage, _ properties: [String: Value]) -> String {
        stage.adapter("ConnectDevice", .properties(properties))
    }

    @Test func `ConnectDevice returns the path of the object that appears with the link`() {
        let stage = Stage()
        let line = connect(stage, ["Address": .string(Self.address), "AddressType": .string("random")])
        #expect(line == "ok hci0/dev_C0_FF_EE_00_00_01")
        #expect(stage.seen() == ["added hci0/dev_C0_FF_EE_00_00_01", "ConnectDevice -> " + line])
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
        stage.run(.milliseconds(300))
        #expect(stage.property(Stage.strap, "Device1", "ServicesResolved") == "true")
        #expect(
            connect(stage, ["Address": .string(Self.address), "AddressType": .string("random")])
                == "AlreadyExists: Already Exists")
    }

    @Test func `ConnectDevice refuses invalid arguments, and fails without a text on timeout`() {
        let stage = Stage()
        let invalid = "InvalidArguments: Invalid arguments in method call"
        #expect(connect(stage, [:]) == invalid)
        #expect(connect(stage, ["Address": .string("nowhere")]) == invalid)
        #expect(connect(stage, ["Address": .string(Self.address), "AddressType": .string("secret")]) == invalid)
        #expect(connect(stage, ["Address": .string(Self.address), "Speed": .uint16(1)]) == invalid)
        #expect(
            connect(stage, ["Address": .string("C0:FF:EE:00:00:99"), "AddressType": .string("random")]) == "Failed: ")
        stage.simulation.bluez.setPower(false)
        #expect(connect(stage, ["Address": .string(Self.address)]) == "NotReady: Resource Not Ready")
    }
}
