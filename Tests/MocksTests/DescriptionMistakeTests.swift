import BluetoothValues
import RxBluetoothMocks
import Testing

/// Mistakes in descriptions that a test makes before it has a scheduler. No test of this suite makes one.
struct DescriptionMistakeTests {
    private static func isHere(_ issue: Issue, _ line: Int, _ text: String) -> Bool {
        issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
            && issue.comments.first?.rawValue.contains(text) == true
    }

    @Test func `A sensor with an impossible value is an issue at its line, and sends nothing`() {
        var sensor: SimulatedSensor?
        let line = #line + 2
        withKnownIssue {
            sensor = SimulatedSensor.ruuvi(temperature: 10_000)
        } matching: { issue in
            Self.isHere(issue, line, "temperature")
        }
        let payload = sensor?.firstPayload(from: "C0:00:00:00:00:01")
        #expect(sensor?.format == .ruuvi && payload?.section == nil)
    }

    @Test func `An impossible passkey of a peripheral is an issue at its line`() {
        var peripheral: SimulatedPeripheral?
        let line = #line + 3
        withKnownIssue {
            peripheral = SimulatedPeripheral("Lock", address: "C0:00:00:00:00:01") {
                SimulatedPairing(.passkeyShown(1_000_000))
            }
        } matching: { issue in
            Self.isHere(issue, line, "six digits")
        }
        #expect(peripheral?.name == "Lock")
    }
}
