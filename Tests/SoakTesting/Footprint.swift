import Foundation
import Rx

/// What a process holds.
package struct Footprint: CustomStringConvertible, Sendable {
    /// Observables, subscriptions and disposables.
    package let objects = Resources.total
    package let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    /// In pages of 4 KiB.
    package let resident: Int
    /// Those of all parties of a test's bus; 0 where nobody counts them.
    package let matchRules: Int
    /// Work that a test's clock has yet to do, of the simulation too; 0 where nobody counts it.
    package let timers: Int

    package init(matchRules: Int = 0, timers: Int = 0) {
        (self.matchRules, self.timers) = (matchRules, timers)
        let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        resident = sizes.count > 1 ? Int(sizes[1]) ?? 0 : 0
    }

    package var description: String {
        """
        \(objects) objects of Rx, \(descriptors) descriptors, \(matchRules) match rules, \(timers) timers, \
        \(resident * 4) KiB resident
        """
    }
}
