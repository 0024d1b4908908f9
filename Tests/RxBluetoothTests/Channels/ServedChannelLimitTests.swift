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

    @Test func `Without descriptors, channels fail with their own error, and work again with them`() async {
        await #expect(processExitsWith: .success) {
            let bus = "unix:path=/tmp/exhausted-\(getpid()),guid=1"
            let server = try #require(ServedChannels.listen(on: bus))
            let sockets = ServedL2CAPSockets(bus: bus)
            let listening = try sockets.listen(ServedChannelLimitTests.request).socket
            let strap = ServedChannelLimitTests.strap
            let caller = ServedChannels.Caller(address: strap, isRandom: true, mtu: 672, mps: 247)
            let device = try #require(ServedChannels.open(caller, psm: 128, on: bus))
            var usual = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) == 0)
            // Lowers the limit to the descriptors in use, so that no further descriptor can be opened.
            let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            close(next)
            var none = rlimit(rlim_cur: rlim_t(next), rlim_max: usual.rlim_max)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
            let errors = [
                #expect(throws: BluetoothError.self) { try sockets.accept(from: listening) },
                #expect(throws: BluetoothError.self) { try sockets.listen(ServedChannelLimitTests.request) },
                #expect(throws: BluetoothError.self) { try sockets.connect(ServedChannelLimitTests.request) },
            ]
            let failure = #expect(throws: ServedChannels.Failure.self) { try ServedChannels.accept(from: server) }
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) == 0)
            try #require(errors.allSatisfy { $0?.kind == .resourceExhausted } && failure?.code == EMFILE)
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
