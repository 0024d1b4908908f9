/// A handler that runs at most once, when the connection closes.
package final class DisconnectHandler: EndFlag, @unchecked Sendable {
    // Guard: only the bus's context uses `handler` after `init`.
    private var handler: (@Sendable (DBusError) -> Void)?

    package init(_ handler: @escaping @Sendable (DBusError) -> Void) { self.handler = handler }

    package func run(_ error: DBusError) {
        let handler = handler
        release()
        if end() { handler?(error) }
    }

    package func release() { handler = nil }
}
