import DBus
import Glibc

/// Two ends of a pipe.
struct Pipe: ~Copyable {
    let reader: OwnedDescriptor
    let writer: OwnedDescriptor

    init() {
        var ends: [Int32] = [-1, -1]
        let failure = unsafe pipe(&ends)
        precondition(failure == 0, "No descriptor is left.")
        reader = OwnedDescriptor(adopting: ends[0])
        writer = OwnedDescriptor(adopting: ends[1])
    }
}
