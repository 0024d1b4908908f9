import RxBluetooth
import Testing

/// `localizedDescription` in a file that does not import Foundation.
struct ErrorTextWithoutFoundationTests {
    @Test func `localizedDescription of any error needs no import of Foundation`() {
        let error = BluetoothError(.poweredOff)
        let unknown: any Error = error
        #expect(unknown.localizedDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }
}
