import DBus
import Glibc
import SoakTesting
import TestTraits
import Testing

/// Leaks of descriptors and threads.
///
/// Each test runs in its own process, so that no other test opens descriptors or starts threads.
@Suite struct LeakTests {
    @Test(.proves(.Q11)) func `Opening and closing leaks no descriptor and no thread`() async {
        await #expect(processExitsWith: .success) {
            let bus = PrivateBus()
            var baseline = ResourceUsage(descriptors: 0, threads: 0)
            for round in 0..<220 {
                let connection = Connection.open(.address(bus.address))
                try await connection.settle()
                // Closes every second connection. The others are closed by their release.
                if round % 2 == 0 { connection.close() }
                if round == 20 { baseline = await ResourceUsage.settling { $0.threads == 0 } }
            }
            let expected = baseline
            let usage = await ResourceUsage.settling { $0.threads == 0 && $0.descriptors == expected.descriptors }
            try #require(usage == expected, "\(OpenDescriptors.targets)")
        }
    }

    @Test(.proves(.Q14)) func `Descriptors in messages are closed`() async {
        await #expect(processExitsWith: .success) {
            let bus = PrivateBus()
            let (server, name) = try await bus.connected()
            let held = Record<IncomingCall>()
            _ = server.export(at: "/test", includingChildren: false) { call in
                guard call.message.member == "Give" else { return held.add(call) }
                let pair = Pipe()
                call.reply { (body) throws(DBusError) in body.descriptor(pair.reader) }
            }
            _ = server.subscribe(MatchRule(sender: BusName.daemon)) { _ in }
            let caller = bus.connect()
            try await caller.settle()
            let before = ResourceUsage.now.descriptors
            for _ in 0..<50 {
                // Makes five calls: one with a reply that is read, one unread, one late and one cancelled, and one call
                // that sends a descriptor.
                let answer = try await caller.ask(.testCall(to: name, "Give"))
                let descriptor = try answer.read { (body) throws(DBusError) in try body.descriptor() }
                try #require(fcntl(descriptor.number, F_GETFD) == FD_CLOEXEC)
                _ = try await caller.ask(.testCall(to: name, "Give"))
                caller.call(try .testCall(to: name, "Give"), timeout: .zero) { _ in }
                caller.call(try .testCall(to: name, "Give"), timeout: .seconds(5)) { _ in }.cancel()
                let pair = Pipe()
                let call = try Message.call(to: name, path: "/test", interface: "org.example.Test", member: "Take") {
                    (body) throws(DBusError) in body.descriptor(pair.writer)
                }
                caller.call(call, timeout: .milliseconds(1)) { _ in }
            }
            for call in try await held.first(50) { call.reply() }
            try await server.settle()
            try await caller.settle()
            held.removeAll()
            let after = await ResourceUsage.settling { $0.descriptors == before }.descriptors
            try #require(after == before, "\(OpenDescriptors.targets)")
        }
    }

    @Test func `A bus that reads nothing does not keep a closed connection`() async {
        await #expect(processExitsWith: .success) {
            let bus = PrivateBus()
            let (caller, _) = try await bus.connected()
            let reply = try await caller.ask(.toDaemon("GetConnectionUnixProcessID", BusName.daemon))
            let daemon = pid_t(try reply.read { (body) throws(DBusError) in try body.uint32() })
            try #require(kill(daemon, SIGSTOP) == 0)
            defer { kill(daemon, SIGCONT) }
            // These signals are far more than the socket accepts, so some cannot be written before `close`.
            let long = String(repeating: "x", count: 1 << 20)
            for _ in 0..<20 { caller.send(try .testSignal("Changed", long)) }
            caller.close()
            try await caller.drain()
            let threads = await ResourceUsage.settling { $0.threads == 0 }.threads
            try #require(threads == 0)
        }
    }

    @Test(.proves(.Q14)) func `Without descriptors opening fails, and works again with them`() async {
        await #expect(processExitsWith: .success) {
            let bus = PrivateBus()
            var usual = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) == 0)
            // Lowers the limit to the descriptors in use, so that no further descriptor can be opened.
            let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            close(next)
            var none = rlimit(rlim_cur: rlim_t(next), rlim_max: usual.rlim_max)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
            let connection = Connection.open(.address(bus.address))
            _ = try await connection.failure(.toDaemon("GetId"))
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) == 0)
            try await bus.connect().settle()
            try await connection.drain()
        }
    }
}
