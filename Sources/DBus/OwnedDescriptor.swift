import Glibc

/// A file descriptor with one owner, who closes it: explicitly by `close()`, or by letting it go (Q14).
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number of the descriptor, valid while this value lives.
    public let number: Int32

    /// Takes over an open descriptor and marks it close-on-exec.
    public init(adopting number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Closes the descriptor now.
    public consuming func close() {}

    /// Gives the descriptor up without closing it; the caller owns the number from here.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { _ = Glibc.close(number) }
}
