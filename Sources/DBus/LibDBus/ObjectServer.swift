/// Serves the exported objects of this process, and requests well-known bus names.
final class ObjectServer: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private let lifecycle: ConnectionLifecycle
    private let calls: CallTable
    private var exports = ExportTable()

    init(_ loop: EventLoop, _ lifecycle: ConnectionLifecycle, _ calls: CallTable) {
        self.loop = loop
        self.lifecycle = lifecycle
        self.calls = calls
    }

    // MARK: Objects

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        let export = ExportTable.Export(includesChildren: includingChildren, handler)
        loop.enter {
            if !self.lifecycle.state.isClosed { self.exports.insert(export, at: path) }
        }
        return BusTask {
            guard export.end() else { return }
            self.loop.enter { self.exports.remove(export, at: path) }
        }
    }

    /// Passes a call to the closest export. The answer is sent on `bus`.
    func serve(_ call: Message, on bus: any Bus) {
        let incoming = IncomingCall(call, on: bus)
        if incoming.answersPeerCall() { return }
        guard let path = call.path, let export = exports.export(for: path) else {
            let text = "There is no object at \(call.path?.description ?? "no path")."
            return incoming.fail(DBusError(name: DBusError.Name.unknownObject, message: text))
        }
        export.serve(incoming)
    }

    /// Ends all exports.
    func close() { exports.removeAll() }

    // MARK: Names

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        let doNotQueue: UInt32 = 4
        guard Syntax.isBusName(name), name.utf8.first != UInt8(ascii: ":"),
            let request = try? Message.toBus(
                "RequestName",
                { (body) throws(DBusError) in
                    try body.string(name)
                    body.uint32(doNotQueue)
                })
        else { return loop.perform { done(.invalidArgument("“\(name)” is not a well-known name.")) } }
        calls.call(request, timeout: .seconds(25)) { result in
            do throws(DBusError) {
                // Code 1: this connection is the new owner. Code 4: this connection already owned the name.
                let code = try result.get().read { (body) throws(DBusError) in try body.uint32() }
                if code == 1 || code == 4 { done(nil) } else { self.failNameRequest(name, done) }
            } catch { done(error) }
        }
    }

    private func failNameRequest(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        calls.callBus("GetNameOwner", name) { result in
            let owner = try? result.get().read { (body) throws(DBusError) in try body.string() }
            let text = "“\(name)” belongs to \(owner ?? "another connection")."
            done(DBusError(name: DBusError.Name.addressInUse, message: text))
        }
    }
}
