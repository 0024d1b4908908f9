import Foundation
import RxBluetooth
import Testing

/// The text of `localizedDescription`, which Foundation shows for an error of any type.
struct LocalizedDescriptionTests {
    @Test func `localizedDescription is the error text for every static type`() {
        let error = BluetoothError(.poweredOff, operation: .connect, target: "C0:FF:EE:00:00:01")
        let unknown: any Error = error
        #expect(unknown.localizedDescription == error.description)
        #expect(error.localizedDescription == error.description)
        #expect((unknown as NSError).localizedDescription == error.description)
        #expect((unknown as? any LocalizedError)?.recoverySuggestion == error.advice)
        #expect(
            error.description
                == "Connecting to C0:FF:EE:00:00:01: the Bluetooth adapter is off. Switch it on: bluetoothctl power on."
        )
    }

    @Test func `An error without advice has a description and no recovery suggestion`() {
        let error = BluetoothError(.disconnected(.requested))
        let unknown: any Error = error
        #expect(unknown.localizedDescription == error.description)
        #expect((unknown as? any LocalizedError)?.recoverySuggestion == nil)
    }
}
