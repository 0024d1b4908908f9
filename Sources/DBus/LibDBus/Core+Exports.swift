/// One who serves objects of this process.
final class ExportedObject: Entry, @unchecked Sendable {
    // Guard: touched in the context only, once it is made.
    let includesChildren: Bool
    var handler: (@Sendable (IncomingCall) -> Void)?

    init(_ includesChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void) {
        self.includesChildren = includesChildren
        self.handler = handler
    }
}

/// Calls of others to objects of ours.
extension Core {
    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        let export = ExportedObject(includingChildren, handler)
        enter {
            if case .closed = self.state { return }
            guard !export.isEnded else { return }
            let replaced = self.exports.updateValue(export, forKey: path)
            if replaced?.end() == true { replaced?.handler = nil }
        }
        return BusTask {
            guard export.end() else { return }
            self.enter {
                let handler = export.handler
                export.handler = nil
                if self.exports[path] === export { self.exports[path] = nil }
                withExtendedLifetime(handler) {}
            }
        }
    }

    /// Hands a call to whoever serves its object. libdbus, left alone, would answer those that nobody serves with
    /// `UnknownMethod`.
    func serve(_ call: Message) {
        let incoming = IncomingCall(call, on: self)
        guard let path = call.path, let export = export(for: path), !export.isEnded else {
            let text = "There is no object at \(call.path?.description ?? "no path")."
            return incoming.fail(DBusError(name: DBusError.Name.unknownObject, message: text))
        }
        export.handler?(incoming)
    }

    private func export(for path: ObjectPath) -> ExportedObject? {
        if let exact = exports[path] { return exact }
        var above = path
        while above != .root {
            above = above.parent
            if let export = exports[above], export.includesChildren { return export }
        }
        return nil
    }
}
