import Glibc
import TestTraits
import Testing

@testable import DBus

/// Reading messages from a socket: in pieces, with file descriptors, and from a faulty bus.
struct MessageStreamTests {
    private final class Receiver: RawConnectionReceiver {
        var messages: [Message] = []
        var objects: Set<ObjectIdentifier> = []
        var retainsMessages = true

        func receive(_ message: Message) {
            objects.insert(ObjectIdentifier(message))
            if retainsMessages { messages.append(message) }
        }

        func hangUp() {}
    }

    /// Both ends of a stream socket, as between a bus and a client.
    private struct Ends: ~Copyable {
        let bus: OwnedDescriptor
        let client: OwnedDescriptor

        init() {
            var ends: (Int32, Int32) = (-1, -1)
            _ = unsafe withUnsafeMutableBytes(of: &ends) {
                unsafe socketpair(
                    AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
            }
            bus = OwnedDescriptor(adopting: ends.0)
            client = OwnedDescriptor(adopting: ends.1)
        }

        /// Closes the end of the bus, and returns the other end.
        consuming func closingBus() -> OwnedDescriptor { client }

        func write(_ bytes: some Collection<UInt8>, _ descriptors: [Int32] = []) {
            var bytes = Array(bytes)
            var control = [UInt64](repeating: 0, count: 2 + (descriptors.count + 1) / 2)
            let length = 16 + descriptors.count * 4
            unsafe control.withUnsafeMutableBytes { control in
                unsafe control.storeBytes(of: length, as: Int.self)
                unsafe control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                unsafe control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
                for (index, number) in descriptors.enumerated() {
                    unsafe control.storeBytes(of: number, toByteOffset: 16 + 4 * index, as: Int32.self)
                }
                unsafe bytes.withUnsafeMutableBytes { bytes in
                    var target = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                    unsafe withUnsafeMutablePointer(to: &target) { target in
                        var header = unsafe msghdr()
                        unsafe (header.msg_iov, header.msg_iovlen) = (target, 1)
                        if !descriptors.isEmpty {
                            unsafe (header.msg_control, header.msg_controllen) = (control.baseAddress, length)
                        }
                        _ = unsafe sendmsg(bus.number, &header, 0)
                    }
                }
            }
        }
    }

    /// A pipe that shows whether all copies of its writing end are closed.
    private final class WatchedPipe {
        private let reader: Int32
        private var isOpen = true
        let writer: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            let failure = unsafe pipe(&ends)
            precondition(failure == 0, "Cannot make a pipe.")
            (reader, writer) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }

        deinit {
            closeWriter()
            close(reader)
        }

        func closeWriter() {
            if isOpen { close(writer) }
            isOpen = false
        }

        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let received = unsafe Glibc.read(reader, &bytes, count)
            return Array(bytes.prefix(max(0, received)))
        }

        /// Whether all writing ends are closed. A child process between fork and exec has copies for a moment.
        var isClosed: Bool {
            var request = pollfd(fd: reader, events: 0, revents: 0)
            for _ in 0..<100_000 {
                _ = unsafe poll(&request, 1, 0)
                if request.revents & Int16(POLLHUP) != 0 { return true }
                if isOpen { return false }
                sched_yield()
            }
            return false
        }
    }

    private func signal(_ number: UInt32, size: Int = 10) throws -> [UInt8] {
        try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            body.uint32(number)
            try body.value(.bytes(Array(repeating: UInt8(truncatingIfNeeded: number), count: size)))
        }.stamped(serial: number, sender: ":1.1").bytes
    }

    private func number(_ message: Message) throws -> UInt32 {
        try message.read { (body) throws(DBusError) in try body.uint32() }
    }

    private func replyWithDescriptor(_ number: Int32, serial: UInt32) throws -> [UInt8] {
        let call = try Message.call(to: "a.b", path: "/", interface: "a.b", member: "C")
        let descriptor = OwnedDescriptor(adopting: dup(number))
        let reply = try Message.reply(to: call.stamped(serial: serial, sender: ":1.2")) { (body) throws(DBusError) in
            body.descriptor(descriptor)
        }
        return reply.stamped(serial: 100 + serial, sender: ":1.1").bytes
    }

    private func deliverAll(_ stream: MessageStream, to receiver: Receiver) throws {
        while try stream.deliver(to: receiver) {}
    }

    @Test func `Messages that arrive byte by byte are delivered when they are complete`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        for byte in try signal(1) + signal(2) {
            ends.write([byte])
            #expect(!stream.hasMessage)
            #expect(stream.read(from: ends.client.number) == .isOpen)
            try deliverAll(stream, to: receiver)
        }
        #expect(try receiver.messages.map(number) == [1, 2])
        #expect(stream.read(from: ends.client.number) == .isOpen && !stream.mayHaveMore)
    }

    @Test func `Retained messages keep their content while the buffer is used again`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        for round in 0..<40 as Range<UInt32> {
            for index in 0..<100 as Range<UInt32> { ends.write(try signal(round * 100 + index + 1, size: 500)) }
            repeat {
                #expect(stream.read(from: ends.client.number) == .isOpen)
                try deliverAll(stream, to: receiver)
            } while stream.mayHaveMore
        }
        #expect(try receiver.messages.map(number) == Array(1...4_000))
        for message in receiver.messages {
            let isWhole = try message.read { (body) throws(DBusError) in
                let number = try body.uint32()
                return try body.bytes() == Array(repeating: UInt8(truncatingIfNeeded: number), count: 500)
            }
            #expect(isWhole)
        }
    }

    @Test func `One object serves all signals that are not retained`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        receiver.retainsMessages = false
        for index in 1...50 as ClosedRange<UInt32> {
            ends.write(try signal(index))
            _ = stream.read(from: ends.client.number)
            try deliverAll(stream, to: receiver)
        }
        #expect(receiver.objects.count == 1)
    }

    @Test func `A message longer than the buffer is delivered whole`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        let long = try signal(3, size: 1 << 20)
        let bytes = try signal(2) + long + signal(4)
        var rest = bytes[...]
        while !rest.isEmpty {
            ends.write(rest.prefix(10_000))
            rest = rest.dropFirst(10_000)
            repeat {
                _ = stream.read(from: ends.client.number)
                try deliverAll(stream, to: receiver)
            } while stream.mayHaveMore
        }
        #expect(try receiver.messages.map(number) == [2, 3, 4])
        #expect(receiver.messages[1].bytes == long)
    }

    @Test func `File descriptors belong to the message that names them`() throws {
        let ends = Ends()
        let receiver = Receiver()
        var stream = Optional(MessageStream())
        let pipes = (0..<4).map { _ in WatchedPipe() }
        for (pipe, serial) in zip(pipes, 1...) {
            ends.write(try replyWithDescriptor(pipe.writer, serial: UInt32(serial)), [pipe.writer])
            pipe.closeWriter()
        }
        // The last message is read and not delivered.
        while receiver.messages.count < 3 {
            #expect(stream?.read(from: ends.client.number) == .isOpen)
            while receiver.messages.count < 3, try stream?.deliver(to: receiver) == true {}
        }
        _ = stream?.read(from: ends.client.number)
        #expect(receiver.messages.map(\.replySerial) == [1, 2, 3])
        for (message, pipe) in zip(receiver.messages, pipes) {
            // Each reading makes a copy, as libdbus does.
            for value in [42, 43] as [UInt8] {
                let copy = try message.read { (body) throws(DBusError) in try body.descriptor() }
                var value = value
                _ = unsafe Glibc.write(copy.number, &value, 1)
            }
            #expect(pipe.read(2) == [42, 43])
        }
        receiver.messages = []
        stream = nil
        for pipe in pipes { #expect(pipe.isClosed) }
    }

    @Test func `A connection that is being closed drops what arrives, and notices the end`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        let pipe = WatchedPipe()
        ends.write(try replyWithDescriptor(pipe.writer, serial: 1), [pipe.writer])
        pipe.closeWriter()
        #expect(stream.read(from: ends.client.number) == .isOpen)
        #expect(stream.hasMessage)
        stream.dropsMessages = true
        for index in 1...100 as ClosedRange<UInt32> {
            ends.write(try signal(index, size: 1_000))
            #expect(stream.read(from: ends.client.number) == .isOpen)
        }
        #expect(pipe.isClosed)
        let client = ends.closingBus()
        var progress = MessageStream.Progress.isOpen
        for _ in 0..<10 where progress == .isOpen { progress = stream.read(from: client.number) }
        #expect(progress == .hasEnded && receiver.messages.isEmpty)
    }

    @Test func `A message without its file descriptors ends the connection`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        let pipe = WatchedPipe()
        ends.write(try replyWithDescriptor(pipe.writer, serial: 1))
        _ = stream.read(from: ends.client.number)
        #expect(throws: DBusError.self) { try stream.deliver(to: receiver) }
        #expect(receiver.messages.isEmpty)
    }

    @Test func `Descriptors that no message names end the connection`() throws {
        let ends = Ends()
        var stream = Optional(MessageStream())
        let pipe = WatchedPipe()
        var progress = MessageStream.Progress.isOpen
        ends.write(try signal(1, size: 10_000).prefix(5_000))
        for _ in 0..<2_000 where progress == .isOpen {
            ends.write([0], [pipe.writer])
            progress = stream?.read(from: ends.client.number) ?? .hasEnded
        }
        #expect(progress == .hasEnded)
        pipe.closeWriter()
        stream = nil
        #expect(pipe.isClosed)
    }

    @Test func `Bytes that are not D-Bus end the connection after the messages before them`() throws {
        for bad in [[UInt8](repeating: 0x6C, count: 32), Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
            let ends = Ends()
            let (stream, receiver) = (MessageStream(), Receiver())
            ends.write(try signal(1) + bad)
            _ = stream.read(from: ends.client.number)
            #expect(try stream.deliver(to: receiver))
            #expect(stream.hasMessage)
            #expect(throws: DBusError.self) { try stream.deliver(to: receiver) }
            #expect(try receiver.messages.map(number) == [1])
        }
    }

    @Test func `A message in the other byte order is read`() throws {
        let ends = Ends()
        let (stream, receiver) = (MessageStream(), Receiver())
        ends.write(otherOrder)
        ends.write(try signal(2))
        _ = stream.read(from: ends.client.number)
        try deliverAll(stream, to: receiver)
        #expect(try receiver.messages.map(number) == [0x0102_0304, 2])
        #expect(receiver.messages.first?.member == "C" && receiver.messages.first?.sender == ":1.1")
    }

    /// A signal with the number 0x01020304 in the byte order that this machine does not use.
    private var otherOrder: [UInt8] {
        let isLittle = 1.littleEndian == 1
        func number(_ value: UInt32) -> [UInt8] {
            unsafe withUnsafeBytes(of: isLittle ? value.bigEndian : value.littleEndian) { unsafe Array($0) }
        }
        func field(_ code: UInt8, _ type: Character, _ text: String) -> [UInt8] {
            var bytes: [UInt8] = [code, 1, type.asciiValue ?? 0, 0]
            bytes += type == "g" ? [UInt8(text.utf8.count)] : number(UInt32(text.utf8.count))
            return bytes + text.utf8 + [0]
        }
        var fields: [UInt8] = []
        for next in [
            field(1, "o", "/"), field(2, "s", "a.b"), field(3, "s", "C"), field(7, "s", ":1.1"), field(8, "g", "u"),
        ] {
            fields += [UInt8](repeating: 0, count: -fields.count & 7)
            fields += next
        }
        let start: [UInt8] = [UInt8(ascii: isLittle ? "B" : "l"), 4, 0, 1]
        let header = start + number(4) + number(1) + number(UInt32(fields.count)) + fields
        return header + [UInt8](repeating: 0, count: -header.count & 7) + number(0x0102_0304)
    }

    @Test func `The end of the socket is reported after the messages before it`() throws {
        let (stream, receiver) = (MessageStream(), Receiver())
        var ends = Optional(Ends())
        ends?.write(try signal(1))
        let client = OwnedDescriptor(adopting: dup(ends?.client.number ?? -1))
        ends = nil
        #expect(stream.read(from: client.number) == .isOpen)
        // Reads nothing while a message waits, so the end is found afterwards.
        #expect(stream.read(from: client.number) == .isOpen)
        try deliverAll(stream, to: receiver)
        #expect(receiver.messages.count == 1)
        #expect(stream.read(from: client.number) == .hasEnded)
    }
}
