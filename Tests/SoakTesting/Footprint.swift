import Foundation
import Rx

/// The resources of the process at one moment.
package struct Footprint: CustomStringConvertible, Sendable {
    /// The number of observables, subscriptions and disposables in memory.
    package let objects = Resources.total
    package let descriptors = OpenDescriptors.count
    /// The resident memory in units of 4 KiB, also if the pages of the kernel are larger.
    package let resident: Int
    /// The match rules of all connections to a test's bus; 0 if they are not counted.
    package let matchRules: Int
    /// The scheduled actions of a test's clock, including those of the simulation; 0 if they are not counted.
    package let timers: Int

    /// The exported objects of all connections to a test's bus; 0 if they are not counted.
    package let exports: Int

    package init(matchRules: Int = 0, timers: Int = 0, exports: Int = 0) {
        (self.matchRules, self.timers, self.exports) = (matchRules, timers, exports)
        let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        resident = (sizes.count > 1 ? Int(sizes[1]) ?? 0 : 0) * (sysconf(Int32(_SC_PAGESIZE)) / 4_096)
    }

    package var description: String {
        """
        \(objects) objects of Rx, \(descriptors) descriptors, \(matchRules) match rules, \(exports) exports, \
        \(timers) timers, \(resident * 4) KiB resident
        """
    }
}
