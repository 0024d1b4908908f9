package import DBus
import Synchronization

/// A packet socket that a test received. Releasing it closes the socket.
package final class TestSocket: Sendable {
    private let socket: Mutex<PacketSocket?>

    package init(_ descriptor: consuming OwnedDescriptor) { socket = Mutex(PacketSocket(adopting: descriptor)) }

    package func receive() -> PacketSocket.ReceiveResult {
        socket.withLock { socket in
            guard let received = socket?.receive() else { return .ended }
            return received
        }
    }

    @discardableResult
    package func send(_ packet: [UInt8]) -> Bool { socket.withLock { $0?.send(packet) ?? false } }

    package func close() { socket.withLock { $0 = nil } }
}
