import BusTesting
import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of `AcquireWrite` and `AcquireNotify`.
struct AcquireTests {
    private static let address = "C0:FF:EE:00:00:01"
    private static let rate = Stage.strap + "/service000a/char000b"
    private static let short = "hci0/dev_C0_FF_EE_00_00_01/service000a/char"
    private static let control = Stage.strap + "/service000a/char0010"

    private func stage(mtu: UInt16 = 517) -> Stage {
        let stage = Stage()
        stage.simulation.bluez.setConnection(SimulatedConnection(mtu: mtu), of: Self.address)
        stage.connect(Stage.strap)
        return stage
    }

    /// Calls an acquire method of a characteristic and returns the socket and the MTU of the reply.
    private func acquire(_ stage: Stage, _ path: String, _ method: String) throws -> (socket: TestSocket, mtu: UInt16) {
        let answer = stage.client.call(path, "org.bluez.GattCharacteristic1.\(method)", [.properties([:])])
        stage.wait(for: answer)
        let reply = try #require(answer.message)
        let (socket, mtu) = try reply.read { (body) throws(DBusError) in
            (TestSocket(try body.descriptor()), try body.uint16())
        }
        return (socket, mtu)
    }

    private func acquired(_ stage: Stage, _ path: String, _ property: String) -> String {
        stage.property(path, "GattCharacteristic1", property)
    }

    @Test(.proves(.Q102)) func `An acquired socket gets one packet per notification, without a signal`() throws {
        let stage = stage(mtu: 100)
        let (socket, mtu) = try acquire(stage, Self.rate, "AcquireNotify")
        #expect(mtu == 100)
        let seen = stage.seen()
        #expect(seen.first == "\(Self.short)000b {NotifyAcquired: true}")
        #expect(seen.count == 2)
        #expect(acquired(stage, Self.rate, "NotifyAcquired") == "true")
        #expect(acquired(stage, Self.rate, "Notifying") == "false")
        stage.client.log.clear()
        stage.run(.milliseconds(2500))
        #expect(socket.receive() == .packet([0, 62]))
        #expect(socket.receive() == .packet([0, 63]))
        #expect(socket.receive() == .nothing)
        #expect(stage.seen().isEmpty)
    }

    @Test(.proves(.Q105)) func `An acquired characteristic refuses other subscriptions`() throws {
        let stage = stage()
        let (socket, _) = try acquire(stage, Self.rate, "AcquireNotify")
        #expect(
            stage.characteristic(Self.rate, "AcquireNotify", .properties([:])) == "NotPermitted: Notify acquired")
        #expect(stage.characteristic(Self.rate, "StartNotify") == "NotPermitted: Notify acquired")
        #expect(stage.characteristic(Self.rate, "StopNotify") == "ok")
        #expect(socket.receive() == .ended)
        #expect(stage.characteristic(Self.rate, "StartNotify") == "ok")
        #expect(stage.characteristic(Self.rate, "AcquireNotify", .properties([:])) == "InProgress: In Progress")
        #expect(
            stage.characteristic(Self.control, "AcquireNotify", .properties([:]))
                == "NotSupported: Operation is not supported")
    }

    @Test(.proves(.Q107)) func `The socket ends with the link, and can be acquired again`() throws {
        let stage = stage()
        let (socket, _) = try acquire(stage, Self.rate, "AcquireNotify")
        stage.client.log.clear()
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(5))
        #expect(socket.receive() == .ended)
        #expect(stage.seen().contains { $0.hasPrefix("\(Self.short)000b") && $0.contains("NotifyAcquired: false") })
        #expect(stage.characteristic(Self.rate, "AcquireNotify", .properties([:])) == "Failed: Not connected")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        // AcquireNotify waits until the services are resolved.
        let (again, _) = try acquire(stage, Self.rate, "AcquireNotify")
        #expect(stage.property(Stage.strap, "Device1", "ServicesResolved") == "true")
        stage.run(.milliseconds(1100))
        #expect(again.receive() == .packet([0, 62]))
    }

    @Test(.proves(.Q107)) func `At the end of the link, sockets close in the order of their calls`() throws {
        for order in [["Write", "Notify"], ["Notify", "Write"]] {
            let stage = stage()
            let paths = ["Write": Self.control, "Notify": Self.rate]
            let sockets = try order.map { try acquire(stage, paths[$0] ?? "", "Acquire\($0)").socket }
            stage.client.log.clear()
            stage.simulation.bluez.dropLink(to: Self.address)
            stage.run(.milliseconds(1))
            let ends = stage.seen().filter { $0.contains("Acquired") }.map { $0.contains("Write") ? "Write" : "Notify" }
            #expect(ends == order)
            #expect(sockets.allSatisfy { $0.receive() == .ended })
        }
    }

    @Test(.proves(.Q14)) func `A client that closes its socket releases the characteristic`() throws {
        let stage = stage()
        let (socket, _) = try acquire(stage, Self.rate, "AcquireNotify")
        socket.close()
        stage.client.log.clear()
        stage.run(.milliseconds(5))
        #expect(stage.seen() == ["\(Self.short)000b {NotifyAcquired: false}"])
        #expect(stage.characteristic(Self.rate, "StartNotify") == "ok")
    }

    @Test func `The call after closing the socket finds the characteristic released`() throws {
        let stage = stage()
        let (listening, _) = try acquire(stage, Self.rate, "AcquireNotify")
        listening.close()
        let (again, _) = try acquire(stage, Self.rate, "AcquireNotify")
        again.close()
        #expect(stage.characteristic(Self.rate, "StartNotify") == "ok")
        let (writing, _) = try acquire(stage, Self.control, "AcquireWrite")
        #expect(writing.send([7]))
        writing.close()
        #expect(stage.characteristic(Self.control, "ReadValue", .properties([:])) == "ok <7>")
        #expect(stage.characteristic(Self.control, "WriteValue", .bytes([1]), .properties([:])) == "ok")
    }

    @Test(.proves(.Q106)) func `A slow reader loses values, and the daemon continues`() throws {
        let stage = stage()
        let (socket, _) = try acquire(stage, Self.rate, "AcquireNotify")
        for _ in 0..<5000 { stage.simulation.bluez.notify([1, 2], from: Self.address, "2a37") }
        stage.run(.milliseconds(5))
        var count = 0
        while case .packet = socket.receive() { count += 1 }
        #expect((1..<5000).contains(count))
        stage.simulation.bluez.notify([3], from: Self.address, "2a37")
        stage.run(.milliseconds(5))
        #expect(socket.receive() == .packet([3]))
    }

    @Test(.proves(.Q100)) func `Each packet is a write, and packets above the MTU are dropped`() throws {
        let stage = stage(mtu: 23)
        let (socket, mtu) = try acquire(stage, Self.control, "AcquireWrite")
        #expect(mtu == 23)
        #expect(acquired(stage, Self.control, "WriteAcquired") == "true")
        #expect(socket.send([5]))
        stage.run(.milliseconds(5))
        #expect(stage.characteristic(Self.control, "ReadValue", .properties([:])) == "ok <5>")
        #expect(socket.send([UInt8](repeating: 9, count: 21)))
        stage.run(.milliseconds(5))
        #expect(stage.characteristic(Self.control, "ReadValue", .properties([:])) == "ok <5>")
        #expect(
            stage.characteristic(Self.control, "WriteValue", .bytes([1]), .properties([:]))
                == "NotPermitted: Write acquired")
        #expect(
            stage.characteristic(Self.control, "AcquireWrite", .properties([:])) == "NotPermitted: Write acquired")
        #expect(
            stage.characteristic(Self.rate, "AcquireWrite", .properties([:]))
                == "NotSupported: Operation is not supported")
        socket.close()
        stage.run(.milliseconds(5))
        #expect(stage.characteristic(Self.control, "WriteValue", .bytes([1]), .properties([:])) == "ok")
    }

    @Test func `Two runs show the same events`() throws {
        func run() throws -> [String] {
            let stage = stage()
            let (socket, _) = try acquire(stage, Self.control, "AcquireWrite")
            for byte in 0..<20 as Range<UInt8> {
                socket.send([byte])
                stage.run(.milliseconds(Int(byte)))
            }
            socket.close()
            stage.run(.seconds(1))
            return stage.seen()
        }
        #expect(try run() == run())
    }
}
