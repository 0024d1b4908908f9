import BusTesting
import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

/// A simulation on a real bus, with a bluetoothd that restarts.
///
/// Each start has its own bus connection and thread.
@Suite(.timeLimit(.minutes(5)))
struct ServedSimulationTests {
    private static let adapter = "/org/bluez/hci0"

    /// A scenario in which bluetoothd crashes before it sends its delayed replies.
    private static let scenario = {
        var scenario = Scenario.everyday
        scenario.quirks = [.Q17, .Q72]
        scenario.faults = [
            Fault("GetDiscoveryFilters", .late(.milliseconds(250))),
            Fault("GetDiscoveryFilters", .swapped),
            Fault("GetDiscoveryFilters", .meanwhile(after: .milliseconds(20)) { $0.crash() }),
            Fault("GetDiscoveryFilters", .meanwhile(after: .milliseconds(60)) { $0.start() }),
            Fault("StartDiscovery", .meanwhile { $0.competingClient().startDiscovery() }),
        ]
        return scenario
    }()

    @Test func `A served simulation survives repeated crashes with pending replies`() async throws {
        let bus = try DBusDaemon()
        let simulation = ServedSimulation(Self.scenario, address: bus.address)
        let over = Guarded<CheckedContinuation<ServingError?, Never>?>(nil)
        await withCheckedContinuation { ready in
            simulation.start {
                ready.resume()
            } over: { error in
                over.withLock { $0 }?.resume(returning: error)
            }
        }
        let client = Connection.open(.address(bus.address))
        let (adapters, sink) = AsyncStream.makeStream(of: Void.self)
        _ = client.watchOwner(of: "org.bluez") { if $0 != nil { sink.yield() } }
        var starts = adapters.makeAsyncIterator()
        for _ in 0..<5 {
            await starts.next()
            #expect(await call(client, "StartDiscovery") == nil)
            // The call has no reply, because the daemon crashes first.
            #expect(await call(client, "GetDiscoveryFilters") == DBusError.Name.noReply)
        }
        await starts.next()
        simulation.bluez.removeFaults()
        #expect(await call(client, "StartDiscovery") == nil)
        #expect(simulation.bluez.recorder.count("GetDiscoveryFilters") == 5)
        let error = await withCheckedContinuation { continuation in
            over.withLock { $0 = continuation }
            simulation.stop()
        }
        #expect(error == nil)
        client.close()
        bus.stop()
    }

    @Test func `A daemon that restarts at once owns its bus name again`() async throws {
        let bus = try DBusDaemon()
        let simulation = ServedSimulation(address: bus.address)
        await withCheckedContinuation { ready in
            simulation.start {
                ready.resume()
            } over: { _ in
            }
        }
        let client = Connection.open(.address(bus.address))
        for _ in 0..<10 {
            simulation.bluez.crash()
            simulation.bluez.start()
            // The daemon is started, stopped and started again. The stop must not affect the second start.
            simulation.bluez.stop()
            simulation.bluez.start()
        }
        let (owners, sink) = AsyncStream.makeStream(of: String?.self)
        _ = client.watchOwner(of: "org.bluez") { sink.yield($0) }
        // Limits the test to 120 s, so that it fails instead of waiting if the daemon does not own its name.
        client.schedule(after: .seconds(120)) { sink.finish() }
        var answer: String? = "no owner"
        for await owner in owners where owner != nil {
            answer = await call(client, "StartDiscovery")
            if answer == nil { break }
        }
        #expect(answer == nil)
        simulation.stop()
        client.close()
        bus.stop()
    }

    /// The error's name; nil for success.
    private func call(_ client: Connection, _ member: String) async -> String? {
        guard let path = ObjectPath(Self.adapter),
            let message = try? Message.call(
                to: "org.bluez", path: path, interface: "org.bluez.Adapter1", member: member)
        else { return "no call" }
        return await withCheckedContinuation { continuation in
            _ = client.call(message, timeout: .seconds(20)) { result in
                if case .failure(let error) = result { return continuation.resume(returning: error.name) }
                continuation.resume(returning: nil)
            }
        }
    }
}
