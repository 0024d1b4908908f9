import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// The texts of errors that a peripheral sends, and of operations that a characteristic does not offer.
struct ATTErrorTextTests {
    private static func error(
        _ code: UInt8, during operation: BluetoothError.Operation? = .read
    ) -> BluetoothError {
        guard let operation else { return BluetoothError(.attError, attCode: code) }
        let (name, text) = reply(code)
        let error = DBusError(name: "org.bluez.Error." + name, message: text)
        return BluetoothError(error, operation: operation, target: "FF91")
    }

    /// Returns the D-Bus error of bluetoothd. Source: BlueZ 5.66, `src/gatt-client.c`, `create_gatt_dbus_error`.
    private static func reply(_ code: UInt8) -> (name: String, text: String) {
        switch code {
        case 0x02: ("NotPermitted", "Read not permitted")
        case 0x03: ("NotPermitted", "Write not permitted")
        case 0x06: ("NotSupported", "Operation is not supported")
        case 0x07: ("InvalidArguments", "Invalid offset")
        case 0x08: ("NotAuthorized", "Operation Not Authorized")
        case 0x0D: ("InvalidArguments", "Invalid Length")
        default: ("Failed", "Operation failed with ATT error: 0x" + Hex.text(code).lowercased())
        }
    }

    /// The codes that the specification defines, without those of applications.
    ///
    /// Without 0x05, 0x0C and 0x0F, for which bluetoothd has one error without the code.
    static let standard: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0D, 0x0E, 0x10, 0x11, 0x12, 0x13, 0xFC, 0xFD,
        0xFE, 0xFF,
    ]

    @Test(.proves(.Q96), arguments: standard)
    func `Each standard code has its number, its name and advice of its own`(code: UInt8) {
        for operation in [BluetoothError.Operation.read, .write, .readDescriptor, .writeDescriptor, .notify] {
            let error = Self.error(code, during: operation)
            #expect(error.attCode == code)
            #expect(error.summary.contains("(ATT error 0x\(Hex.text(code)) “"), "\(error)")
            #expect(error.summary.hasSuffix("”)."), "\(error)")
            #expect(error.advice?.contains("Look up the code") == false, "\(error)")
        }
    }

    @Test(arguments: [UInt8(0x07), 0x0D, 0x13, 0xFD, 0xFF])
    func `A refused value of the descriptor 2902 does not advise another value`(code: UInt8) {
        let error = Self.error(code, during: .notify)
        let refusal = "the peripheral refuses to turn its notifications or indications on"
        #expect(error.summary.contains(refusal), "\(error)")
        #expect(error.summary.contains("because its configuration is not right") == (code == 0xFD), "\(error)")
        #expect(
            error.advice == "Read in the documentation of the peripheral what it requires before it turns them on.")
        let write = Self.error(code, during: .write)
        #expect(!write.summary.contains(refusal) && write.advice?.hasPrefix("Read in") == false, "\(write)")
    }

    @Test(arguments: [UInt8(0x80), 0x9F]) func `The documentation of the peripheral has the codes of applications`(
        code: UInt8
    ) {
        #expect(
            Self.error(code).description
                == "Reading FF91: the peripheral refused with an error of its own (ATT error 0x\(Hex.text(code)) "
                + "“application error”). Look up the code in the documentation of the peripheral.")
    }

    @Test(arguments: [UInt8(0x14), 0x7F, 0xA0, 0xE0, 0xFB]) func `A reserved code has only its number`(code: UInt8) {
        #expect(
            Self.error(code).description
                == "Reading FF91: the peripheral refused with an unknown error (ATT error 0x\(Hex.text(code))). "
                + "Look up the code in the documentation of the peripheral.")
    }

    @Test func `A code without an operation has the same text`() {
        #expect(
            Self.error(0x13, during: nil).summary
                == "the peripheral does not allow this value (ATT error 0x13 “value not allowed”).")
        #expect(
            BluetoothError(.attError).summary == "the peripheral refused with an ATT error of unknown number.")
    }

    @Test func `A value of a wrong length has a text with the code`() {
        #expect(
            Self.error(0x0D, during: .write).description
                == "Writing FF91: the peripheral does not accept a value of this length (ATT error 0x0D “invalid "
                + "attribute value length”). Use a value of the length that the documentation of the peripheral gives.")
    }

    @Test func `A value that fills one packet and cannot be read in parts has an explanation`() {
        for operation in [BluetoothError.Operation.read, .readDescriptor] {
            let error = Self.error(0x0B, during: operation)
            #expect(error.kind == .attError)
            #expect(error.summary.contains("the value fills one packet exactly, bluetoothd requests its rest"))
            #expect(error.summary.contains("(ATT error 0x0B “attribute not long”)"))
            #expect(error.advice?.contains("notifications") == true)
            #expect(error.advice?.contains("MTU") == true)
        }
        #expect(Self.error(0x0B, during: .write).summary.contains("one packet") == false)
    }

    @Test func `A refusal of a listed property differs from a property that is not listed`() {
        let peripheral = SimulatedPeripheral("Strict", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, firstAfter: .zero)
            SimulatedService("fff0") {
                SimulatedCharacteristic("fff1", .read { _ in .error(0x02) }, .write { _ in .error(0x03) })
                SimulatedCharacteristic("fff2", .read { _ in .value([1]) })
            }
        }
        let stage = Stage(with: [peripheral])
        let strict = stage.find(Sensor.address)
        let link = stage.connect(strict)
        let (listed, other) = (stage.characteristic(0xFFF1, of: strict), stage.characteristic(0xFFF2, of: strict))
        let read = stage.record(listed.readValue())
        let write = stage.record(listed.writeValue([1]))
        let notListed = stage.record(other.writeValue([1]))
        let notifications = stage.record(other.observeValueUpdates())
        stage.advance(1_000)
        for (error, verb, code) in [(read.error, "reading", "0x02 “read"), (write.error, "writing", "0x03 “write")] {
            #expect(error?.kind == .notPermitted)
            let text =
                "the peripheral lists \(verb) among the properties of the characteristic, but refuses it (ATT error "
                + "\(code) not permitted”). Read in the documentation"
            #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        }
        for error in [notListed.error, notifications.error] {
            #expect(error?.kind == .notPermitted)
            #expect(error?.attCode == nil)
            #expect(error?.description.contains("(It offers only: read)") == true, "\(String(describing: error))")
            #expect(error?.advice == "Use an operation that the characteristic offers.")
        }
        #expect(notListed.error?.summary.contains("the characteristic cannot be written in this way") == true)
        #expect(link.isLive)
    }
}
