import Glibc
import SoakTesting

/// How many open descriptors and how many threads of connections this process has.
struct ResourceUsage: Equatable, Sendable {
    var descriptors: Int
    var threads: Int

    static var now: ResourceUsage {
        // Counts threads before descriptors: a thread that has ended has already closed its descriptors.
        let threads = countThreads()
        return ResourceUsage(descriptors: OpenDescriptors.count, threads: threads)
    }

    /// Waits until the usage is as expected, and returns it; the last usage if that takes two minutes.
    ///
    /// The wait is necessary, because threads end shortly after their connections.
    static func settling(at isExpected: (ResourceUsage) -> Bool) async -> ResourceUsage {
        let limit = ContinuousClock.now + .seconds(120)
        var usage = now
        while !isExpected(usage), ContinuousClock.now < limit {
            await Task.yield()
            usage = now
        }
        return usage
    }

    private static func isOurs(_ thread: String) -> Bool {
        let file = unsafe open("/proc/self/task/\(thread)/comm", O_RDONLY)
        guard file >= 0 else { return false }
        defer { close(file) }
        var name = [UInt8](repeating: 0, count: 32)
        let count = unsafe read(file, &name, name.count)
        return String(decoding: name.prefix(max(0, count)), as: UTF8.self).hasPrefix("rxbt-dbus")
    }

    private static func countThreads() -> Int {
        guard let handle = unsafe opendir("/proc/self/task") else { return -1 }
        defer { unsafe closedir(handle) }
        var count = 0
        while let entry = unsafe readdir(handle) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix("."), isOurs(name) { count += 1 }
        }
        return count
    }
}
