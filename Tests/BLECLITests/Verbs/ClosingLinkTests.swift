import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// What happens between the end of one verb and the next: bluetoothd takes 2 s to close a link.
struct ClosingLinkTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")

    private static let verbs: [any Verb] = [
        ReadVerb(target: .address("C0:FF:EE:00:00:01"), choice: .uuid(0x2A19)),
        WriteVerb(target: .address("C0:FF:EE:00:00:01"), choice: .uuid(0x2A39), value: [1]),
        ConnectVerb(target: .address("C0:FF:EE:00:00:01")),
        NotifyVerb(target: .address("C0:FF:EE:00:00:01"), choice: .uuid(0x2A37), count: 1),
        PairVerb(target: .address("C0:FF:EE:00:00:01")),
        // Found, connected, and then it fails.
        ReadVerb(target: .address("C0:FF:EE:00:00:01"), choice: .uuid(0x2A6E)),
    ]

    @Test(arguments: verbs.indices)
    func `A verb does not wait for the answer to Disconnect, and the link is closed`(index: Int) {
        let bench = Bench()
        // The scan takes 0.1 s, the connection 0.25 s, a value 1 s at most.
        let outcome = bench.run(Self.verbs[index], for: 3)
        #expect(outcome.code != nil)
        #expect((outcome.time ?? 9) < 1.9, "\(outcome.time ?? 9)")
        #expect(bench.calls("Connect") == 1)
        #expect(bench.calls("Disconnect") == 1)
        bench.advance(3_000)
        // Only a device without a link is connected again.
        #expect(bench.run(ReadVerb(target: strap, choice: .uuid(0x2A19))).code == .done)
        #expect(bench.calls("Connect") == 2)
        #expect(bench.calls("Disconnect") == 2)
    }

    @Test func `The next verb waits until the link of the one before is down, and makes its own`() {
        let bench = Bench()
        bench.run(ReadVerb(target: strap, choice: .uuid(0x2A19)), for: 1)
        #expect(bench.calls("Disconnect") == 1)
        let outcome = bench.run(NotifyVerb(target: strap, choice: .uuid(0x2A37)), .limited(.seconds(10)))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines.count > 5)
        #expect(bench.calls("Connect") == 2)
        #expect(bench.calls("Disconnect") == 2)
    }

    @Test func `A link that another program keeps is shared after a moment, and not closed`() {
        let bench = Bench()
        bench.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let rival = bench.simulation.bluez.rival()
        rival.connect("C0:FF:EE:00:00:01")
        bench.advance(1_000)
        let outcome = bench.run(ReadVerb(target: strap, choice: .uuid(0x2A19)))
        #expect(outcome.code == .done)
        #expect((2.4...3.5).contains(outcome.time ?? 0))
        #expect(bench.calls("Disconnect") == 0)
    }
}
