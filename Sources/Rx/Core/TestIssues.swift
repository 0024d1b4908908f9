/// Receives the mistakes of tests. `RunningTest` of RxTest is the only one.
package protocol TestIssueReceiver {
    /// Receives a sentence with the file, as `#fileID` names it, and the line. Returns false if no test runs.
    static func receive(_ text: String, fileID: String, line: Int) -> Bool
}

/// The mistakes of a test that a module reports without linking a testing library.
package enum TestIssues {
    /// Reports a mistake to the running test. Returns false if there is none.
    package static func record(_ text: String, fileID: String, line: Int) -> Bool {
        receiver?.receive(text, fileID: fileID, line: line) ?? false
    }

    /// The receiver of this process; nil for a program without RxTest.
    ///
    /// A mistake may precede all code of RxTest that runs, so RxTest cannot register it.
    private static var receiver: (any TestIssueReceiver.Type)? {
        _typeByName("RxTest.RunningTest") as? any TestIssueReceiver.Type
    }
}
