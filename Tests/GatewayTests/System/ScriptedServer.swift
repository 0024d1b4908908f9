import Foundation
import Glibc
import Synchronization

@testable import Gateway

/// A TCP server on the loopback interface that answers each connection like a ``FakeBroker``.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let peers: Mutex<[FakeBroker]>
    private let version: BrokerSettings.Version
    /// Bytes that follow the answer to the first packet, written from a pattern without keeping them.
    private let flood: Int

    /// - Parameters:
    ///   - peers: One for each connection; later connections have a normal broker.
    ///   - flood: The number of further bytes that the first connection sends after its first answer.
    init(_ version: BrokerSettings.Version, peers: [FakeBroker], flood: Int = 0) throws {
        (listener, port) = try LoopbackSocket.listen(on: 0)
        self.peers = Mutex(peers)
        self.version = version
        self.flood = flood
        let flags = fcntl(listener, F_GETFL)
        _ = fcntl(listener, F_SETFL, flags & ~O_NONBLOCK)
        let listener = listener
        // A blocked queue would take a thread of the pool, which has few on a small machine.
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                serve(client)
                close(client)
            }
            // Here, because another file could get the number while the thread still uses it.
            close(listener)
        }
    }

    /// Ends the thread.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ client: Int32) {
        let next = peers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        var peer = next ?? FakeBroker(version)
        var rest = next == nil ? 0 : flood
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            let output = peer.receive(Array(buffer[..<count]))
            guard write(output.bytes, to: client) else { return }
            while rest > 0 {
                let part = [UInt8](repeating: 0x20, count: min(rest, 64 << 10))
                guard write(part, to: client) else { return }
                rest -= part.count
            }
            if output.closes { return }
        }
    }

    private func write(_ bytes: [UInt8], to client: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
