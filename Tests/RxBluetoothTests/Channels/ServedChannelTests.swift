import BusTesting
import DBus
import Glibc
import Rx
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// L2CAP channels to a simulation in another process, as of `ble-cli simulate`.
@Suite(.timeLimit(.minutes(5)))
struct ServedChannelTests {
    private static let strap = "C0:FF:EE:00:00:01"

    /// Opens a channel of the heart strap over a real bus, and returns what it answers to a packet.
    private func answers(
        _ count: Int = 1, psm: UInt16, of served: SimulatedChannel = .echo(mtu: 100), bus otherBus: String? = nil
    ) async throws -> [[UInt8]] {
        var scenario = Scenario.everyday
        for index in scenario.peripherals.indices where scenario.peripherals[index].address == Self.strap {
            scenario.peripherals[index].channels[128] = served
        }
        let bus = try DBusDaemon()
        defer { bus.stop() }
        let simulation = ServedSimulation(scenario, address: bus.address)
        await withCheckedContinuation { ready in
            simulation.start {
                ready.resume()
            } over: { _ in
            }
        }
        defer { simulation.stop() }
        var configuration = BluetoothManager.Configuration()
        configuration.channels = ServedL2CAPSockets(bus: otherBus ?? bus.address)
        let manager = BluetoothManager(configuration: configuration, bus: Connection.open(.address(bus.address)))
        let peripheral = try await manager.scanForPeripherals()
            .filter { $0.peripheral.address.description == Self.strap }.map(\.peripheral).take(1).asSingle().value
        let answers = peripheral.connect().flatMap { $0.openL2CAPChannel(psm: psm) }.flatMap {
            channel -> Observable<[UInt8]> in
            #expect(channel.mtu == 100)
            return Observable.merge(channel.received, channel.send([1, 2, 3]).andThen(.never()))
        }
        return try await answers.take(count).toArray().value
    }

    @Test(.proves(.S114)) func `A program in another process exchanges packets with a simulated peripheral`()
        async throws
    {
        #expect(try await answers(psm: 128) == [[1, 2, 3]])
    }

    @Test(.proves(.S114)) func `Answers that exceed the buffer of the socket arrive without further packets`()
        async throws
    {
        let answer = [UInt8](repeating: 7, count: 100)
        let served = SimulatedChannel(mtu: 100) { _ in Array(repeating: answer, count: 5_000) }
        #expect(try await answers(5_000, psm: 128, of: served) == Array(repeating: answer, count: 5_000))
    }

    @Test func `A PSM that the simulated peripheral does not serve is refused`() async throws {
        let error = await #expect(throws: BluetoothError.self) { try await answers(psm: 129) }
        #expect(error?.kind == .channelRefused)
    }

    @Test func `A bus without a simulation has no channels, and the error says so`() async throws {
        let error = await #expect(throws: BluetoothError.self) {
            try await answers(psm: 128, bus: "unix:path=/nonexistent,guid=1")
        }
        #expect(error?.kind == .unsupported)
        #expect(error?.detail?.contains("no simulation opens L2CAP channels") == true)
    }

    @Test(
        arguments: [nil, "unix:path=/run/dbus/system_bus_socket", "unix:path=/var/run/dbus/system_bus_socket"]
            as [String?])
    func `On the bus of the system, a manager uses the channels of the kernel`(address: String?) {
        #expect(BluetoothManager.channelSockets(onBus: address) is KernelL2CAPSockets)
    }

    @Test(arguments: ["unix:path=/tmp/dbus-4aXbYcZdQe,guid=1", "tcp:host=localhost,port=1", ""])
    func `On another bus, a manager uses the channels of a simulation on that bus`(address: String) {
        let sockets = BluetoothManager.channelSockets(onBus: address) as? ServedL2CAPSockets
        #expect(sockets?.bus == address)
    }

    @Test(arguments: [[], [9], [1, 2], [0], [1, 0, 100, 0, 20, 0], [2, 0]])
    func `Another packet than a state of a channel is refused`(packet: [UInt8]) {
        #expect(ChannelSocketState(packet: packet) == nil)
    }

    @Test(arguments: [ChannelSocketState.connected(mtu: 672, mps: 247), .refused, .notConnected])
    func `A state is the same after its packet`(state: ChannelSocketState) {
        #expect(ChannelSocketState(packet: state.packet) == state)
    }

    @Test func `One packet requests a channel and fills the socket until it is received`() throws {
        let bus = "unix:path=/tmp/request-\(getpid()),guid=1"
        let listener = try #require(ServedChannels.listen(on: bus))
        let request = ServedChannels.Request(address: Self.strap, psm: 128)
        let number = try #require(try ServedChannels.connect(request, on: bus))
        let program = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number)))
        let end = try #require(try ServedChannels.accept(from: listener))
        #expect(end.socket.peek(upTo: 64).flatMap(ServedChannels.Request.init) == request)
        #expect(!program.isReady(for: .writable))
        end.socket.discardFilling()
        #expect(program.isReady(for: .writable) && end.socket.receivedPackets == 1)
    }

    @Test func `Data that follows at once is not taken for what fills the socket`() throws {
        var number: Int32 = -1
        let end = try PacketSocket.pair { number = fcntl($0.number, F_DUPFD_CLOEXEC, 0) }
        let program = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: number)))
        PacketSocket.fill(number)
        #expect(!program.isReady(for: .writable))
        let isSent = program.socket.send([1, 2, 3])
        #expect(isSent)
        end.discardFilling()
        #expect(program.isReady(for: .writable))
        guard case .packet([1, 2, 3]) = end.receive() else {
            Issue.record("The data is lost.")
            return
        }
    }

    @Test(arguments: ["", "A", "A 70000", "A 1 2", " ", "A -1"])
    func `Another text than an address and a PSM is no request`(text: String) {
        #expect(ServedChannels.Request(packet: Array(text.utf8)) == nil)
    }
}
