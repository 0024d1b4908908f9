import Rx

#if canImport(Testing)
    import Testing
#endif

/// The test of Swift Testing that runs on the present task. `TestIssues` finds this class by its name.
final class RunningTest: TestIssueReceiver {
    static func receive(_ text: String, fileID: String, line: Int) -> Bool {
        #if canImport(Testing)
            // Outside of a test, for example on another thread or in a test of XCTest, an issue could get lost.
            guard Test.current != nil, fileID.contains("/"), line > 0 else { return false }
            Issue.record(
                Comment(rawValue: text),
                sourceLocation: SourceLocation(fileID: fileID, filePath: fileID, line: line, column: 1))
            return true
        #else
            return false
        #endif
    }
}
