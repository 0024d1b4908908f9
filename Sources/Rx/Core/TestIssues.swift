/// The mistakes of a test that a module reports without linking a testing library.
///
/// RxTest installs the receiver. Programs have none.
package enum TestIssues {
    /// Receives a sentence with the file, as `#fileID` names it, and the line. Returns false if no test runs.
    package typealias Receiver = @Sendable (_ text: String, _ fileID: String, _ line: Int) -> Bool

    private static let receiver = Guarded<Receiver?>(nil)

    /// Installs the receiver of this process.
    package static func install(_ newReceiver: @escaping Receiver) { receiver.withLock { $0 = newReceiver } }

    /// Reports a mistake to the running test. Returns false if there is none.
    package static func record(_ text: String, fileID: String, line: Int) -> Bool {
        guard let receive = receiver.withLock({ $0 }) else { return false }
        return receive(text, fileID, line)
    }
}
