import BusTesting
import DBus
import Glibc
import Rx
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// L2CAP channels that devices of a simulation in another process open, as of `ble-cli simulate`.
@Suite(.timeLimit(.minutes(5)))
struct ServedListenerTests {
    private static let strap = "C0:FF:EE:00:00:01"

    /// Calls `work` with a simulation on a real bus, and a manager that uses its channels.
    private func withSimulation(
        _ work: (_ bluez: SimulatedBlueZ, _ manager: BluetoothManager) async throws -> Void
    ) async throws {
        let bus = try DBusDaemon()
        defer { bus.stop() }
        let simulation = ServedSimulation(address: bus.address)
        await withCheckedContinuation { ready in
            simulation.start {
                ready.resume()
            } over: { _ in
            }
        }
        defer { simulation.stop() }
        var configuration = BluetoothManager.Configuration()
        configuration.channels = ServedL2CAPSockets(bus: bus.address)
        try await work(
            simulation.bluez,
            BluetoothManager(configuration: configuration, bus: Connection.open(.address(bus.address))))
    }

    @Test(.proves(.S116)) func `A simulated peripheral opens a channel to a program in another process`() async throws {
        try await withSimulation { bluez, manager in
            let packets = manager.publishL2CAPChannel().flatMap { listener -> Observable<[UInt8]> in
                #expect(listener.psm == 128)
                bluez.openChannel(.echo(mtu: 300), from: Self.strap, psm: listener.psm, sending: [[9], [8]])
                return listener.channels.flatMap { channel -> Observable<[UInt8]> in
                    #expect(channel.peripheral.address.description == Self.strap)
                    #expect(channel.mtu == 300 && channel.parameters.mps == 247)
                    return Observable.merge(channel.received, channel.send([1, 2]).andThen(.never()))
                }
            }
            let received = try await packets.take(3).toArray().value
            #expect(received == [[9], [8], [1, 2]])
        }
    }

    @Test(.proves(.S116)) func `A PSM in use by another program is a typed error`() async throws {
        try await withSimulation { _, manager in
            let kinds = manager.publishL2CAPChannel(psm: 200).flatMap { _ -> Observable<BluetoothError.Kind?> in
                manager.publishL2CAPChannel(psm: 200).map { _ -> BluetoothError.Kind? in nil }
                    .catch { error in Observable.just((error as? BluetoothError)?.kind) }
            }
            let kind = try await kinds.take(1).asSingle().value
            #expect(kind == .registrationFailed("The PSM is in use"))
        }
    }

    @Test(.proves(.S116)) func `A PSM is free again when its socket is closed`() throws {
        let bus = "unix:path=/tmp/psm-\(getpid()),guid=1"
        do {
            let first = try #require(try ServedChannels.listen(psm: 0, on: bus))
            let listener = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: first.socket)))
            let same = try ServedChannels.listen(psm: first.psm, on: bus)
            let next = try #require(try ServedChannels.listen(psm: 0, on: bus))
            _ = OwnedDescriptor(adopting: next.socket)
            #expect(first.psm == 128 && same?.psm == nil && next.psm == 129)
            withExtendedLifetime(listener) {}
        }
        var again = try ServedChannels.listen(psm: 128, on: bus)
        // Another test that starts a program has a copy of the socket for a moment.
        for _ in 0..<100_000 where again == nil {
            sched_yield()
            again = try ServedChannels.listen(psm: 128, on: bus)
        }
        _ = OwnedDescriptor(adopting: try #require(again?.socket))
    }

    @Test func `On a bus without a simulation, publishing fails, and the error says so`() async throws {
        let bus = try DBusDaemon()
        defer { bus.stop() }
        let sockets = ServedL2CAPSockets(bus: bus.address)
        let request = L2CAPRequest(
            psm: 0, adapter: "hci0", adapterAddress: nil, peer: nil, peerKind: .public, security: .none,
            receiveMTU: nil)
        let error = #expect(throws: BluetoothError.self) { try sockets.listen(request) }
        #expect(error?.kind == .unsupported)
        #expect(error?.detail?.contains("no simulation opens L2CAP channels") == true)
    }

    @Test func `A device opens no channel if nothing listens on the PSM`() throws {
        let bus = "unix:path=/tmp/listeners-\(getpid()),guid=1"
        let caller = ServedChannels.Caller(address: Self.strap, isRandom: true, mtu: 672, mps: 247)
        let early = ServedChannels.open(caller, psm: 128, on: bus)
        #expect(early == nil)
        let number = try #require(try ServedChannels.listen(psm: 128, on: bus)?.socket)
        let listener = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number)))
        let other = ServedChannels.open(caller, psm: 129, on: bus)
        #expect(other == nil)
        let none = try ServedChannels.acceptChannel(from: number)
        #expect(none?.socket == nil)
        let device = try #require(ServedChannels.open(caller, psm: 128, on: bus))
        let accepted = try ServedChannels.acceptChannel(from: number)
        #expect(accepted?.caller == caller)
        let end = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: try #require(accepted?.socket))))
        #expect(ServedChannels.state(of: end.socket.number) == .connected(mtu: 672, mps: 247))
        // Reading the state takes no data of the channel.
        device.socket.send([5])
        #expect(ServedChannels.state(of: end.socket.number) == .connected(mtu: 672, mps: 247))
        #expect(end.socket.receive() == .packet([5]))
        withExtendedLifetime(listener) {}
    }

    @Test func `The name of a socket describes the device, and no two names are equal`() {
        let caller = ServedChannels.Caller(address: Self.strap, isRandom: false, mtu: 65_535, mps: 65_533)
        let name = caller.socketName()
        #expect(ServedChannels.Caller(socketName: name) == caller && caller.socketName() != name)
        // An abstract name has at most 107 bytes.
        #expect(name.utf8.count <= 107)
    }

    @Test(arguments: [
        "", "rxbluetooth-channels:unix:path=/tmp/bus", "rxbluetooth-device A random 1 2",
        "rxbluetooth-device A random x 2 3", "another-device A random 1 2 3",
    ])
    func `Another name than that of a device is refused`(name: String) {
        #expect(ServedChannels.Caller(socketName: name) == nil)
    }
}
