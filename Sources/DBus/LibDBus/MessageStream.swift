internal import CDBus
import Glibc

// libdbus would need about 30,000 instructions and 60 locks to read a signal. This type needs a few hundred.
/// Reads the messages of a bus from its socket, after libdbus has authenticated the connection.
///
/// Messages refer to the receive buffer, so reading copies nothing. A buffer is reused when no message refers to it.
@safe
final class MessageStream: @unchecked Sendable {
    // Guard: only the event loop uses an instance.
    /// The result of a reading.
    enum Progress: Equatable {
        /// Bytes have arrived, or none waits.
        case isOpen
        /// The socket is closed or has failed, or too many file descriptors have arrived.
        case hasEnded
    }

    /// The size of the buffer unless a message is longer.
    private static let usualCapacity = 32 << 10
    /// The maximum number of descriptors that wait for their message. Source: libdbus's limit for one message.
    private static let mostDescriptors = 1024

    private var buffer = ReceivedBytes(capacity: usualCapacity)
    /// The bytes of the buffer that are received and not yet delivered.
    private var unread = 0..<0
    /// Whether messages that are still in use refer to the buffer.
    private var isShared = false
    /// Received descriptors that belong to messages in ``unread``.
    private var descriptors: [Int32] = []
    private let control = DescriptorBuffer()
    /// The message object for the next signal, reused as long as no subscriber retains it.
    private var signal = Message.empty()
    /// Whether received messages are dropped, because the connection is being closed.
    var dropsMessages = false
    /// Whether the last reading filled the buffer, so that more bytes have probably arrived.
    private(set) var mayHaveMore = false

    deinit { drop() }

    /// Whether a whole message waits for delivery, or bytes that are not a message.
    var hasMessage: Bool {
        switch unsafe WireFrame(waiting) {
        case .incomplete: false
        case .message(let count, _): count <= unread.count
        case .invalid: true
        }
    }

    private var waiting: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: buffer.base + unread.lowerBound, count: unread.count)
    }

    // MARK: Delivery

    /// Passes the next message to `receive`. Returns false if no whole message waits.
    ///
    /// Throws if the bytes are not D-Bus; the connection must then be closed.
    func deliver(to receiver: any RawConnectionReceiver) throws(DBusError) -> Bool {
        switch unsafe WireFrame(waiting) {
        case .incomplete: return false
        case .invalid: throw .malformed("The bus has sent bytes that are not a D-Bus message.")
        case .message(let count, let isForeign):
            guard count <= unread.count else { return false }
            let bytes = unsafe UnsafeRawBufferPointer(start: buffer.base + unread.lowerBound, count: count)
            unread = unread.lowerBound + count..<unread.upperBound
            if isForeign {
                guard let message = unsafe Message(foreign: bytes) else { throw Self.invalidHeader }
                receiver.receive(message)
            } else {
                guard let wire = unsafe WireMessage(bytes) else { throw Self.invalidHeader }
                try deliver(wire, to: receiver)
            }
            return true
        }
    }

    private static var invalidHeader: DBusError { .malformed("The bus has sent a message without a valid header.") }

    private func deliver(_ wire: WireMessage, to receiver: any RawConnectionReceiver) throws(DBusError) {
        let count = Int(wire.descriptorCount)
        guard count <= descriptors.count else { throw .malformed("A message without its file descriptors arrived.") }
        if wire.kind == Message.Kind.signal.rawValue, count == 0 {
            signal.refer(to: wire, in: buffer)
            receiver.receive(signal)
            guard !isKnownUniquelyReferenced(&signal) else { return }
            signal = Message.empty()
        } else {
            let owned = count > 0 ? ReceivedDescriptors(descriptors.prefix(count)) : nil
            descriptors.removeFirst(count)
            var message = Message(wire, in: buffer, owned)
            receiver.receive(message)
            guard !isKnownUniquelyReferenced(&message) else { return }
        }
        isShared = true
    }

    // MARK: Reading

    /// Reads what has arrived. Does nothing while a whole message waits, unless messages are dropped.
    func read(from socket: Int32) -> Progress {
        mayHaveMore = false
        if dropsMessages { drop() }
        guard !hasMessage else { return .isOpen }
        makeRoom()
        let room = buffer.capacity - unread.upperBound
        let count = unsafe control.receive(from: socket, into: buffer.base + unread.upperBound, room, &descriptors)
        guard let count else { return .isOpen }
        guard count > 0, descriptors.count <= Self.mostDescriptors else { return .hasEnded }
        unread = unread.lowerBound..<unread.upperBound + count
        mayHaveMore = count == room
        return .isOpen
    }

    private func drop() {
        unread = 0..<0
        for number in descriptors { _ = close(number) }
        descriptors = []
    }

    /// Moves the beginning of a message to the start of the buffer, and makes the buffer long enough for the message.
    private func makeRoom() {
        var needed = Self.usualCapacity
        if case .message(let count, _) = unsafe WireFrame(waiting) { needed = max(needed, count) }
        if isShared || buffer.capacity < needed || unread.isEmpty && buffer.capacity > needed {
            let larger = ReceivedBytes(capacity: needed)
            unsafe larger.base.copyMemory(from: buffer.base + unread.lowerBound, byteCount: unread.count)
            buffer = larger
            isShared = false
        } else if unread.lowerBound > 0, !unread.isEmpty {
            unsafe memmove(buffer.base, buffer.base + unread.lowerBound, unread.count)
        }
        unread = 0..<unread.count
    }
}

/// Receives bytes together with file descriptors.
@safe
private struct DescriptorBuffer: ~Copyable {
    /// The kernel passes at most 253 descriptors at once (`SCM_MAX_FD`).
    private static let size = MemoryLayout<cmsghdr>.size + 253 * MemoryLayout<Int32>.size
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)

    deinit { unsafe bytes.deallocate() }

    /// Receives bytes. Returns their number; 0 if the socket has ended or failed; nil if nothing waits.
    func receive(
        from socket: Int32, into place: UnsafeMutableRawPointer, _ room: Int, _ descriptors: inout [Int32]
    ) -> Int? {
        var target = unsafe iovec(iov_base: place, iov_len: room)
        return unsafe withUnsafeMutablePointer(to: &target) { target in
            var header = unsafe msghdr()
            unsafe (header.msg_iov, header.msg_iovlen) = (target, 1)
            unsafe (header.msg_control, header.msg_controllen) = (bytes, Self.size)
            let flags = Int32(MSG_CMSG_CLOEXEC | MSG_DONTWAIT)
            let count = unsafe recvmsg(socket, &header, flags)
            if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : 0 }
            if unsafe header.msg_controllen > 0 {
                unsafe appendDescriptors(header.msg_controllen, to: &descriptors)
            }
            // The kernel drops descriptors that do not fit. Their message cannot be delivered.
            return unsafe header.msg_flags & Int32(MSG_CTRUNC) == 0 ? count : 0
        }
    }

    private func appendDescriptors(_ length: Int, to descriptors: inout [Int32]) {
        let headerSize = MemoryLayout<cmsghdr>.size
        var position = 0
        while position + headerSize <= length {
            let header = unsafe bytes.loadUnaligned(fromByteOffset: position, as: cmsghdr.self)
            let end = min(position + Int(header.cmsg_len), length)
            if header.cmsg_level == SOL_SOCKET, header.cmsg_type == Int32(SCM_RIGHTS) {
                for place in stride(from: position + headerSize, through: end - 4, by: 4) {
                    unsafe descriptors.append(bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
                }
            }
            position = (max(end, position + headerSize) + 7) & ~7
        }
    }
}
