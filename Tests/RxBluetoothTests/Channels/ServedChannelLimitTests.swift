import DBus
import Glibc
import Testing

@testable import RxBluetooth

/// Channels to a simulation in another process, if a limit of this process or of the system is reached.
@Suite(.timeLimit(.minutes(5)))
struct ServedChannelLimitTests {
    private static let strap = "C0:FF:EE:00:00:01"
    private static let request = L2CAPRequest(
        psm: 128, adapter: "hci0", adapterAddress: nil, peer: "C0:FF:EE:00:00:01", peerKind: .random, security: .none,
        receiveMTU: nil)

    @Test func `Without descriptors, channels fail as such, and work again with them`() async {
        await #expect(processExitsWith: .success) {
            let bus = "unix:path=/tmp/exhausted-\(getpid()),guid=1"
            let server = try #require(ServedChannels.listen(on: bus))
            let sockets = ServedL2CAPSockets(bus: bus)
            let listening = try sockets.listen(ServedChannelLimitTests.request).socket
            let strap = ServedChannelLimitTests.strap
            let caller = ServedChannels.Caller(address: strap, isRandom: true, mtu: 672, mps: 247)
            let device = try #require(ServedChannels.open(caller, psm: 128, on: bus))
            // Uses up all descriptors of this process.
            var copies = [dup(listening)]
            while let copy = copies.last, copy >= 0 { copies.append(dup(listening)) }
            let first = #expect(throws: BluetoothError.self) { try sockets.accept(from: listening) }
            let second = #expect(throws: BluetoothError.self) { try sockets.listen(ServedChannelLimitTests.request) }
            let third = #expect(throws: BluetoothError.self) { try sockets.connect(ServedChannelLimitTests.request) }
            let failure = #expect(throws: ServedChannels.Failure.self) { try ServedChannels.accept(from: server) }
            for copy in copies { close(copy) }
            try #require(first?.kind == .resourceExhausted && second?.kind == .resourceExhausted)
            try #require(third?.kind == .resourceExhausted && failure?.code == EMFILE)
            let accepted = try sockets.accept(from: listening)
            try #require(accepted?.peer.description == strap)
            withExtendedLifetime(device) {}
        }
    }

    @Test func `A simulation for which too many programs wait is not taken for none`() throws {
        let bus = "unix:path=/tmp/backlog-\(getpid()),guid=1"
        let server = try #require(ServedChannels.listen(on: bus))
        let sockets = ServedL2CAPSockets(bus: bus)
        var programs: [SharedSocket] = []
        var error: BluetoothError?
        while error == nil, programs.count < 100 {
            do throws(BluetoothError) {
                let number = try sockets.connect(Self.request)
                programs.append(SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number))))
            } catch let failure {
                error = failure
            }
        }
        #expect(error?.kind == .resourceExhausted && error?.detail?.contains("wait for the simulation") == true)
        let refused = #expect(throws: BluetoothError.self) { try sockets.listen(Self.request) }
        #expect(refused?.kind == .resourceExhausted)
        withExtendedLifetime(server) {}
    }

    @Test func `Only a PSM in use is reported as one`() throws {
        let bus = String(repeating: "x", count: 200)
        let failure = #expect(throws: ServedChannels.Failure.self) { try ServedChannels.listen(psm: 128, on: bus) }
        #expect(failure?.code == ENAMETOOLONG)
    }
}
