import DBus
import Foundation
import Glibc
import Rx
import RxBluetooth
import TestTraits
import Testing

@testable import ble_cli

/// L2CAP channels of a program on the bus of `ble-cli simulate -- PROGRAM`.
@Suite(.timeLimit(.minutes(5)))
struct ServedChannelProcessTests {
    private static let scenario = """
        peripherals:
          - name: Probe
            address: C0:FF:EE:00:00:01
            advertisement: { interval: 100 ms, rssi: -60, name: Probe }
            channels: [{ psm: 128, mtu: 100 }]

        """
    /// A program that prints its bus, and runs until SIGTERM.
    private static let program =
        "trap 'kill $!; exit 9' TERM; echo $DBUS_SYSTEM_BUS_ADDRESS; tail -f /dev/null > /dev/null 2>&1 & wait"

    /// Opens a channel with the sockets that a manager uses on this bus. Returns the answer to a packet.
    private func answer(on address: String) async throws -> [UInt8]? {
        var configuration = BluetoothManager.Configuration()
        configuration.channels = BluetoothManager.channelSockets(onBus: address)
        let manager = BluetoothManager(configuration: configuration, bus: Connection.open(.address(address)))
        let peripheral = try await manager.scanForPeripherals().map(\.peripheral).take(1).asSingle().value
        let answers = peripheral.connect().flatMap { $0.openL2CAPChannel(psm: 128) }.flatMap {
            channel -> Observable<[UInt8]> in
            #expect(channel.mtu == 100)
            return Observable.merge(channel.received, channel.send([1, 2, 3]).andThen(.never()))
        }
        for try await answer in answers.take(1).values { return answer }
        return nil
    }

    /// Waits for a channel that the peripheral opens. Returns what it sends, and its answer to a packet.
    private func packets(on address: String) async throws -> [[UInt8]] {
        var configuration = BluetoothManager.Configuration()
        configuration.channels = BluetoothManager.channelSockets(onBus: address)
        let manager = BluetoothManager(configuration: configuration, bus: Connection.open(.address(address)))
        let packets = manager.publishL2CAPChannel(psm: 129).flatMap { $0.channels.take(1) }.flatMap {
            channel -> Observable<[UInt8]> in
            #expect(channel.peripheral.address.description == "C0:FF:EE:00:00:01")
            return Observable.merge(channel.received, channel.send([1, 2, 3]).andThen(.never()))
        }
        return try await packets.take(2).toArray().value
    }

    /// Calls `work` with the address of the bus on which `ble-cli simulate` runs a program.
    private func whileSimulating(_ scenario: String, _ work: (_ address: String) async throws -> Void) async throws {
        try await withFolder { folder in
            let path = folder + "/probe.yaml"
            try scenario.write(toFile: path, atomically: false, encoding: .utf8)
            let simulation = CLIProcess("simulate", path, "--", "sh", "-c", Self.program)
            let address = String(await simulation.firstLine().dropLast())
            var failure: (any Error)?
            do { try await work(address) } catch { failure = error }
            simulation.signal(SIGTERM)
            let end = await simulation.end()
            #expect(failure == nil, "\(address) \(end.errors)")
            #expect(end.code == 9)
        }
    }

    @Test(.proves(.S114)) func `A program under simulate exchanges packets with a peripheral of the scenario`()
        async throws
    {
        try await whileSimulating(Self.scenario) { address in
            let received = try await answer(on: address)
            #expect(received == [1, 2, 3])
        }
    }

    @Test(.proves(.S116)) func `A peripheral of the scenario opens a channel to a program under simulate`()
        async throws
    {
        // The event has no effect before the program listens, so it occurs every second.
        let events = (1...120).map {
            "  - { at: \($0) s, open-channel: C0:FF:EE:00:00:01, psm: 129, value: 09 }\n"
        }
        try await whileSimulating(Self.scenario + "events:\n" + events.joined()) { address in
            let received = try await packets(on: address)
            #expect(received == [[9], [1, 2, 3]])
        }
    }
}
