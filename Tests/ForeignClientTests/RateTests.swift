import Foundation
import Testing

extension ForeignClientTests {
    /// Many advertisements, over a real bus to a client in another process.
    struct RateTests {
        /// The whole second that a loaded machine may need to begin, and the client to end, is not counted.
        @Test func `five thousand advertisements a second reach a client that takes them all`() throws {
            let seconds = 5
            let served = try Served("crowd")
            let scan = try served.run([Ground.bleCLI, "scan", "--all", "--json", "--timeout", "\(seconds)"])
            #expect(scan.code == 0)
            let taken = scan.output.utf8.count { $0 == UInt8(ascii: "\n") }
            let sent = try served.end()
            print("sent \(sent) advertisements, of which a client took \(taken), in \(seconds) s")
            #expect(sent >= 5_000 * (seconds - 1))
            // What is sent after the client has ended and before bluetoothd has stopped is not its any more.
            #expect(taken <= sent && sent - taken <= 1_000)
        }
    }
}
