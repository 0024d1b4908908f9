import Foundation

/// Numbers in environment variables.
enum ProcessEnvironment {
    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
