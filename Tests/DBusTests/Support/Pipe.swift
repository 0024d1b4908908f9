import DBus
import Glibc

/// A pipe with its two ends.
struct Pipe: ~Copyable {
    let reader: OwnedDescriptor
    let writer: OwnedDescriptor

    init() {
        var ends: [Int32] = [-1, -1]
        let failure = unsafe pipe(&ends)
        precondition(failure == 0, "Cannot make a pipe.")
        reader = OwnedDescriptor(adopting: ends[0])
        writer = OwnedDescriptor(adopting: ends[1])
    }
}
