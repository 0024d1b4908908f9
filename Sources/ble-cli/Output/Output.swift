/// Where results go: standard output, or what a test keeps.
protocol Output: Sendable {
    /// The size of the terminal; nil where it is none.
    var size: TerminalSize? { get }

    /// Writes text at once. Throws ``OutputClosed`` when nobody reads it any more.
    func write(_ text: String) throws
}

extension Output {
    /// Writes one line at once.
    func line(_ text: String) throws { try write(text + "\n") }
}

/// A terminal's size in characters.
struct TerminalSize: Equatable, Sendable {
    let columns: Int
    let rows: Int
}
