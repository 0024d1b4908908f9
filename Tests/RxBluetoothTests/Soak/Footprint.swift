import Foundation
import Rx

/// What this process holds.
struct Footprint: CustomStringConvertible {
    /// Observables, subscriptions and disposables.
    let objects = Resources.total
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    /// In pages of 4 KiB.
    let resident: Int
    let matchRules: Int

    init(matchRules: Int) {
        self.matchRules = matchRules
        let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        resident = sizes.count > 1 ? Int(sizes[1]) ?? 0 : 0
    }

    var description: String {
        "\(objects) objects of Rx, \(descriptors) descriptors, \(matchRules) match rules, \(resident * 4) KiB resident"
    }
}
