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

    @Test(.proves(.S114)) func `A program under simulate exchanges packets with a peripheral of the scenario`()
        async throws
    {
        try await withFolder { folder in
            let path = folder + "/probe.yaml"
            try Self.scenario.write(toFile: path, atomically: false, encoding: .utf8)
            let simulation = CLIProcess("simulate", path, "--", "sh", "-c", Self.program)
            let address = String(await simulation.firstLine().dropLast())
            var received: [UInt8]?
            var failure: (any Error)?
            do { received = try await answer(on: address) } catch { failure = error }
            simulation.signal(SIGTERM)
            let end = await simulation.end()
            #expect(received == [1, 2, 3], "\(address) \(failure.map { "\($0)" } ?? "") \(end.errors)")
            #expect(end.code == 9)
        }
    }
}
