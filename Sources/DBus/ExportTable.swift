/// The objects that a connection serves, by path.
package struct ExportTable {
    /// The handler of calls to an object.
    package final class Export: EndFlag, @unchecked Sendable {
        // Guard: only the bus's context uses `handler` after `init`.
        fileprivate let includesChildren: Bool
        private var handler: (@Sendable (IncomingCall) -> Void)?

        package init(includesChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void) {
            self.includesChildren = includesChildren
            self.handler = handler
        }

        package func serve(_ call: IncomingCall) { handler?(call) }

        fileprivate func release() {
            // Releasing the handler may run code that uses this export, so the property is cleared first.
            let handler = handler
            self.handler = nil
            withExtendedLifetime(handler) {}
        }
    }

    private var exports: [ObjectPath: Export] = [:]

    package init() {}

    package var count: Int { exports.count }

    /// Adds an export, which replaces an earlier export at the same path.
    package mutating func insert(_ export: Export, at path: ObjectPath) {
        guard !export.isEnded else { return }
        let replaced = exports.updateValue(export, forKey: path)
        if replaced?.end() == true { replaced?.release() }
    }

    package mutating func remove(_ export: Export, at path: ObjectPath) {
        if exports[path] === export { exports[path] = nil }
        export.release()
    }

    package mutating func removeAll() {
        let all = exports.values
        exports = [:]
        for export in all {
            export.end()
            export.release()
        }
    }

    /// Returns the export at `path`, else the closest export above `path` that includes its children.
    package func export(for path: ObjectPath) -> Export? {
        if let exact = exports[path], !exact.isEnded { return exact }
        var ancestor = path
        while ancestor != .root {
            ancestor = ancestor.parent
            if let export = exports[ancestor], export.includesChildren, !export.isEnded { return export }
        }
        return nil
    }
}
