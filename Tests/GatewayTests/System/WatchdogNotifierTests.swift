import FoundationEssentials
import Gateway
import Glibc
import Rx
import RxTest
import Testing

@Suite struct WatchdogNotifierTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private var loop: GatewayLoop {
        let scheduler = scheduler
        return GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
    }

    @Test func `Systemd receives the messages of a service on its socket`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "notify-\(getpid())").path
        let receiver = try #require(DatagramReceiver(path))
        let notifier = WatchdogNotifier(
            loop: loop,
            environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "\(getpid())"]
        )
        notifier.ready("2 adapters,\nscanning")
        #expect(receiver.all() == ["READY=1\nSTATUS=2 adapters, scanning", "WATCHDOG=1"])
        scheduler.advanceBy(4_999)
        #expect(receiver.all().isEmpty)
        scheduler.advanceBy(10_001)
        #expect(receiver.all() == ["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"])
        notifier.setStatus("silent")
        notifier.setStatus("silent")
        notifier.stopping()
        notifier.end()
        scheduler.advanceBy(60_000)
        #expect(receiver.all() == ["STATUS=silent", "STOPPING=1"])
    }

    @Test func `Systemd receives the begin and the end of a reload`() throws {
        let name = "@rxbluetooth-reload-\(getpid())"
        let receiver = try #require(DatagramReceiver(name))
        let notifier = WatchdogNotifier(loop: loop, environment: ["NOTIFY_SOCKET": name])
        notifier.reloading()
        notifier.reloaded()
        let messages = receiver.all()
        #expect(messages.count == 2 && messages[1] == "READY=1")
        let lines = messages[0].split(separator: "\n")
        #expect(lines[0] == "RELOADING=1" && (Int(lines[1].dropFirst("MONOTONIC_USEC=".count)) ?? 0) > 1_000_000)
    }

    @Test func `An abstract socket is reached, and a missing one is no error`() throws {
        let receiver = try #require(DatagramReceiver("@rxbluetooth-\(getpid())"))
        let socket = try #require(NotifySocket("@rxbluetooth-\(getpid())"))
        #expect(socket.send(["READY=1"]) && receiver.all() == ["READY=1"])
        let missing = try #require(NotifySocket("/nonexistent/socket"))
        #expect(!missing.send(["READY=1"]))
    }

    @Test(arguments: [nil, "", "@", "relative", "/" + String(repeating: "x", count: 200)])
    func `Without a valid socket nothing is sent`(_ name: String?) {
        #expect(NotifySocket(name) == nil)
        let notifier = WatchdogNotifier(
            loop: loop, environment: ["NOTIFY_SOCKET": name ?? "", "WATCHDOG_USEC": "1000"])
        notifier.ready("")
        scheduler.advanceBy(10)
    }

    @Test(arguments: [["WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "x"]])
    func `A watchdog of another process or without a period is not served`(_ changes: [String: String]) throws {
        let name = "@rxbluetooth-other-\(getpid())-\(changes.description.hashValue)"
        let receiver = try #require(DatagramReceiver(name))
        let environment = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1000000"].merging(changes) { $1 }
        let notifier = WatchdogNotifier(loop: loop, environment: environment)
        notifier.ready("on")
        scheduler.advanceBy(10_000)
        #expect(receiver.all() == ["READY=1\nSTATUS=on"])
    }
}

/// The end of systemd of a notification socket.
private final class DatagramReceiver {
    private let descriptor: Int32
    private let path: String

    init?(_ path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        unsafe unlink(path)
        var address = sockaddr_un()
        let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8) + [0]
        let bytes = [UInt8(AF_UNIX), 0] + name
        unsafe withUnsafeMutableBytes(of: &address) { unsafe $0.copyBytes(from: bytes) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(bytes.count))
            }
        }
        guard result == 0 else { return nil }
    }

    deinit {
        close(descriptor)
        unsafe unlink(path)
    }

    /// Returns the messages that have arrived.
    func all() -> [String] {
        var messages: [String] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 1000)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return messages }
            messages.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }
}
