public import FoundationEssentials

/// The text for code that knows an error only as `any Error`, and asks Foundation for its `localizedDescription`.
extension BluetoothError: LocalizedError {
    /// The same text as ``description``. It is English, and not localized.
    public var errorDescription: String? { description }

    /// The same text as ``advice``.
    public var recoverySuggestion: String? { advice }
}
