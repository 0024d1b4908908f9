import Rx

#if canImport(Testing)
    import Testing
#endif

/// The test of Swift Testing that runs on the present task.
enum RunningTest {
    /// Lets other modules report mistakes as issues of the running test.
    static func receiveMistakes() { _ = isReceiving }

    /// Installs the receiver once.
    private static let isReceiving: Bool = {
        #if canImport(Testing)
            TestIssues.install { text, fileID, line in
                // Outside of a test, for example on another thread or in a test of XCTest, an issue could get lost.
                guard Test.current != nil, fileID.contains("/"), line > 0 else { return false }
                Issue.record(
                    Comment(rawValue: text),
                    sourceLocation: SourceLocation(fileID: fileID, filePath: fileID, line: line, column: 1))
                return true
            }
            return true
        #else
            return false
        #endif
    }()
}
