import Glibc

/// A buffer for the bytes of received messages. Messages retain it as long as they are used.
@safe
final class ReceivedBytes: @unchecked Sendable {
    // Guard: the event loop writes only bytes that no message has been made of yet.
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(byteCount: capacity, alignment: 16)
    }

    convenience init(copying bytes: [UInt8]) {
        self.init(capacity: max(1, bytes.count))
        unsafe bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe base.copyMemory(from: start, byteCount: bytes.count) }
        }
    }

    deinit { unsafe base.deallocate() }
}

/// The file descriptors of a received message. They are closed with it.
@safe
final class ReceivedDescriptors: @unchecked Sendable {
    // Guard: immutable after `init`.
    let numbers: UnsafeBufferPointer<Int32>

    init(_ numbers: some Collection<Int32>) {
        let copy = UnsafeMutableBufferPointer<Int32>.allocate(capacity: numbers.count)
        _ = unsafe copy.initialize(fromContentsOf: numbers)
        unsafe self.numbers = UnsafeBufferPointer(copy)
    }

    deinit {
        for index in unsafe numbers.indices { _ = unsafe close(numbers[index]) }
        unsafe numbers.deallocate()
    }
}
