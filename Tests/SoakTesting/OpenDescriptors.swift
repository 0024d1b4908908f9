import Foundation

/// The open descriptors of this process, for tests that run in a process of their own.
package enum OpenDescriptors {
    private static let folder = "/proc/self/fd"

    /// What each descriptor refers to, for example `socket:[1234]`.
    ///
    /// Timers of the kernel are left out. The library has none; Dispatch opens one for its threads, at any moment after
    /// the process has started.
    package static var targets: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // The descriptor of the folder itself is closed by now, so it has no target.
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { $0 != "anon_inode:[timerfd]" }
            .sorted()
    }

    /// The number of these descriptors.
    package static var count: Int { targets.count }
}
