import DBus
import Synchronization

/// A D-Bus client of bluetoothd that logs signals and replies.
final class Client {
    let name: String
    let eventLog: EventLog
    let signalFilter = SignalFilter()
    let bus: any Bus
    private(set) var isOpen = true
    private unowned let trial: Trial
    var names: ObjectNames { trial.names }
    private var replies: [PendingReply] = []

    init(_ name: String, on trial: Trial, activity: ActivitySignal, listening: Bool) {
        self.name = name
        self.trial = trial
        eventLog = EventLog(activity)
        bus = trial.ground.connect()
        guard listening else { return }
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { [eventLog, signalFilter, names = trial.names] signal in
            names.learn(from: signal)
            for line in signal.lines(names, signalFilter) { eventLog.write(line) }
            // This wakes threads that wait for an object, even if the filter hides the signal.
            eventLog.write(nil)
        }
    }

    /// Returns a line of the transcript with the name of this client.
    func titled(_ line: String) -> String { name.isEmpty ? line : "\(name): \(line)" }

    /// Reads the existing objects from bluetoothd, and adds their names to the trial.
    func learn() {
        let reply = call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", noting: false)
        if let objects = reply.values.first { trial.names.learn(objects: objects) }
    }

    /// Calls a method, waits for the reply and logs it.
    ///
    /// - Parameter method: A method of BlueZ such as `Adapter1.StartDiscovery`, or a full name.
    @discardableResult
    func call(_ object: String, _ method: String, _ arguments: any Argument..., noting: Bool = true) -> PendingReply {
        let reply = begin(object, method, arguments.map(\.value), noting: noting)
        trial.wait { !reply.isOpen }
        return reply
    }

    /// Calls a method, and returns when bluetoothd has received the call. Logs the reply when it arrives.
    @discardableResult
    func begin(_ object: String, _ method: String, _ arguments: any Argument...) -> PendingReply {
        let reply = begin(object, method, arguments.map(\.value), noting: true)
        // This second call returns after bluetoothd received the first one: it handles calls of a connection in order.
        call("hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Address", noting: false)
        return reply
    }

    /// Makes bluetoothd read all calls at once, waits for all replies and logs them in order of arrival.
    func together(_ calls: (object: String, method: String, arguments: [any Argument])...) {
        var replies: [PendingReply] = []
        let isStopped = trial.ground.whileDaemonIsStopped {
            replies = calls.map { begin($0.object, $0.method, $0.arguments.map(\.value), noting: true) }
            waitForBus()
        }
        if !isStopped { eventLog.write("bluetoothd was not stopped") }
        trial.wait { replies.allSatisfy { !$0.isOpen } }
    }

    /// Returns when the bus has received all earlier calls.
    private func waitForBus() {
        let reply = PendingReply()
        do throws(DBusError) {
            let message = try Message.call(
                to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: "GetId")
            bus.call(message, timeout: .seconds(120)) { reply.settle($0) }
        } catch {
            reply.settle(.failure(error))
        }
        trial.wait { !reply.isOpen }
    }

    private func begin(_ object: String, _ method: String, _ arguments: [Value], noting: Bool) -> PendingReply {
        let reply = PendingReply()
        // Retaining the reply keeps a socket in it open.
        if noting { replies.append(reply) }
        let full = method.hasPrefix("org.") ? method : "org.bluez." + method
        let dot = full.lastIndex(of: ".") ?? full.startIndex
        let member = String(full[full.index(after: dot)...])
        let (names, eventLog) = (trial.names, eventLog)
        let title = ([object, member] + arguments.map { $0.line(names) }).joined(separator: " ")
        guard let path = names.path(of: object) else {
            reply.settle(.failure(.invalidArgument("no such object")))
            eventLog.write("\(title) -> not sent: there is no object with that name")
            return reply
        }
        do throws(DBusError) {
            let message = try Message.call(
                to: "org.bluez", path: path, interface: String(full[..<dot]), member: member
            ) { (body) throws(DBusError) in
                for argument in arguments { try body.value(argument) }
            }
            bus.call(message, timeout: .seconds(120)) {
                reply.settle($0)
                eventLog.write(noting ? "\(title) -> \(reply.line(names))" : nil)
            }
        } catch {
            eventLog.write("\(title) -> not sent: \(error)")
            reply.settle(.failure(error))
        }
        return reply
    }

    /// Waits until this many pending lines contain these words.
    func until(_ words: String, times: Int = 1) {
        trial.wait { [eventLog] in eventLog.count { $0.contains(words) } >= times }
    }

    func get(_ object: String, _ interface: String, _ property: String) {
        call(object, "org.freedesktop.DBus.Properties.Get", interface.full, property)
    }

    func set(_ object: String, _ interface: String, _ property: String, _ value: any Argument) {
        call(object, "org.freedesktop.DBus.Properties.Set", interface.full, property, Value.variant(value.value))
    }

    /// Logs all properties of an interface with their types, one property per line.
    func describe(_ object: String, _ interface: String) {
        let reply = call(object, "org.freedesktop.DBus.Properties.GetAll", interface.full, noting: false)
        guard case .dictionary(_, _, let entries)? = reply.values.first else {
            return eventLog.write("\(object) GetAll \(interface) -> \(reply.line(trial.names))")
        }
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value else { continue }
            let text = name == "UUIDs" ? value.line(trial.names) : Masked.text(of: name, value, trial.names)
            eventLog.write("\(object) \(interface) \(name) \(value.signature) \(text)")
        }
    }

    /// Closes the connection to the bus.
    func leave() {
        isOpen = false
        bus.close()
    }
}

extension String {
    /// The full D-Bus name of an interface.
    fileprivate var full: String { hasPrefix("org.") ? self : "org.bluez." + self }
}

/// A type that can be an argument of a call.
protocol Argument {
    var value: Value { get }
}

extension Value: Argument { var value: Value { self } }
extension String: Argument { var value: Value { .string(self) } }
extension Bool: Argument { var value: Value { .bool(self) } }
extension [String: Value]: Argument { var value: Value { .properties(self) } }
extension [UInt8]: Argument { var value: Value { .bytes(self) } }
