import Foundation
public import Testing

/// Fails a test in the lab during which bluetoothd crashed. See ``Testing/Trait/failsOnDaemonCrash``.
public struct DaemonCrashTrait: SuiteTrait, TestTrait, TestScoping {
    public let isRecursive = true

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let before = Self.crashes.count
        defer { for crash in Self.crashes.dropFirst(before) { Issue.record("\(crash)") } }
        try await function()
    }

    /// The lines about bluetoothd in the file that the lab's kernel adds crashes to.
    private static var crashes: [Substring] {
        let folder = ProcessInfo.processInfo.environment["LAB_OUT"] ?? ""
        let text = (try? String(contentsOfFile: folder + "/crashes", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("bluetoothd") }
    }
}

extension Trait where Self == DaemonCrashTrait {
    /// Fails a test in the lab during which bluetoothd crashed.
    public static var failsOnDaemonCrash: Self { DaemonCrashTrait() }
}
