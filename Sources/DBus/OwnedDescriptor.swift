import Glibc

// Q14: a descriptor in a message belongs to the receiver, and leaks if it is not closed.

/// A file descriptor with one owner. Releasing the value closes the descriptor.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, valid during the lifetime of this value.
    public let number: Int32

    /// Takes over an open descriptor and marks it close-on-exec.
    public init(adopting number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Closes the descriptor now.
    public consuming func close() {}

    /// Ends the ownership without closing. The caller owns the descriptor afterwards.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { _ = Glibc.close(number) }
}
