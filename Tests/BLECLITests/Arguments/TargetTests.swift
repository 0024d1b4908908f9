import RxBluetooth
import Testing

@testable import ble_cli

struct TargetTests {
    private let strap: BluetoothAddress = "C0:FF:EE:00:00:01"

    @Test(arguments: ["C0:FF:EE:00:00:01", "c0:ff:ee:00:00:01", " C0-FF-EE-00-00-01 "])
    func `Accepts an address`(text: String) throws {
        #expect(try Target(parsing: text) == .address(strap))
    }

    @Test(arguments: ["C0:FF:EE", "00:01", "HRM-1", "Heart rate", "a:b", "::"])
    func `Accepts everything else as a part of a name or an address`(text: String) throws {
        #expect(try Target(parsing: text) == .part(text))
    }

    @Test(arguments: ["", "  ", "C0:FF:EE:00:00:ZZ", "C0:FF:EE:00:00:0", "C0:FF:EE:00:00:01:02", "C0:FF:EE:00:00:"])
    func `Rejects an empty target and a malformed address`(text: String) {
        #expect { try Target(parsing: text) } throws: { ($0 as? CLIError)?.code == .usage }
    }

    @Test func `Matches a name or an address, exactly or in part, ignoring case`() throws {
        let name = "Heart Rate Strap"
        #expect(try Target(parsing: "HEART rate strap").match(strap, name: name) == .exact)
        #expect(try Target(parsing: "rate").match(strap, name: name) == .partial)
        #expect(try Target(parsing: "ee:00").match(strap, name: nil) == .partial)
        #expect(try Target(parsing: "C0:FF:EE:00:00:01").match(strap, name: nil) == .exact)
        #expect(try Target(parsing: "C0:FF:EE:00:00:02").match(strap, name: "C0:FF:EE:00:00:02") == nil)
        #expect(try Target(parsing: "thermometer").match(strap, name: name) == nil)
    }
}
