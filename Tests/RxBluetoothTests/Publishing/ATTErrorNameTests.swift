import DBus
import TestTraits
import Testing

@testable import RxBluetooth

/// The D-Bus errors that bluetoothd turns into ATT errors.
struct ATTErrorNameTests {
    @Test(.proves(.S95), arguments: UInt8.min...UInt8.max)
    func `An application error from 0x80 to 0x9F has its code, and any other none`(code: UInt8) {
        let error = ATTError.application(code).dbusError
        if 0x80...0x9F ~= code {
            #expect(error.name == "org.bluez.Error.Failed")
            #expect(error.message.lowercased() == "0x" + String(code, radix: 16))
        } else {
            #expect(error.name == DBusError.Name.failed && error.message == "Unlikely error")
        }
    }
}
