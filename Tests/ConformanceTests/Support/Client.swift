import DBus
import Synchronization

/// A client of bluetoothd that speaks raw D-Bus and writes down what it hears.
final class Client {
    let name: String
    let journal: Journal
    let focus = Focus()
    let bus: any Bus
    private(set) var isOpen = true
    private unowned let trial: Trial
    var names: Names { trial.names }
    private var answers: [Answer] = []

    init(_ name: String, on trial: Trial, bell: Bell, listening: Bool) {
        self.name = name
        self.trial = trial
        journal = Journal(bell)
        bus = trial.ground.connect()
        guard listening else { return }
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { [journal, focus, names = trial.names] signal in
            names.learn(from: signal)
            for line in signal.lines(names, focus) { journal.write(line) }
            // Whoever waits for an object is woken also where its signals are not noted.
            journal.write(nil)
        }
    }

    /// A line of this client's as it stands in the transcript.
    func titled(_ line: String) -> String { name.isEmpty ? line : "\(name): \(line)" }

    /// Takes in the objects that are there.
    func learn() {
        let answer = call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", noting: false)
        if let objects = answer.values.first { trial.names.learn(objects: objects) }
    }

    /// Calls a method and waits for the answer, which is noted. A method of BlueZ is named as `Adapter1.StartDiscovery`.
    @discardableResult
    func call(_ object: String, _ method: String, _ arguments: any Argument..., noting: Bool = true) -> Answer {
        let answer = begin(object, method, arguments.map(\.value), noting: noting)
        trial.wait { !answer.isOpen }
        return answer
    }

    /// Calls a method and goes on once bluetoothd has it. The answer is noted when it comes.
    @discardableResult
    func begin(_ object: String, _ method: String, _ arguments: any Argument...) -> Answer {
        let answer = begin(object, method, arguments.map(\.value), noting: true)
        // Calls of one connection are taken in order.
        call("hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Address", noting: false)
        return answer
    }

    /// Sends calls one right after the other and waits for all answers, which are noted as they come.
    func together(_ calls: (object: String, method: String, arguments: [any Argument])...) {
        let answers = calls.map { begin($0.object, $0.method, $0.arguments.map(\.value), noting: true) }
        trial.wait { answers.allSatisfy { !$0.isOpen } }
    }

    private func begin(_ object: String, _ method: String, _ arguments: [Value], noting: Bool) -> Answer {
        let answer = Answer()
        // A socket that comes with it is to stay open.
        if noting { answers.append(answer) }
        let full = method.hasPrefix("org.") ? method : "org.bluez." + method
        let dot = full.lastIndex(of: ".") ?? full.startIndex
        let member = String(full[full.index(after: dot)...])
        let (names, journal) = (trial.names, journal)
        let title = ([object, member] + arguments.map { $0.line(names) }).joined(separator: " ")
        guard let path = names.path(of: object) else {
            answer.settle(.failure(.invalidArgument("no such object")))
            journal.write("\(title) -> never sent: there is no object of that name")
            return answer
        }
        do throws(DBusError) {
            let message = try Message.call(
                to: "org.bluez", path: path, interface: String(full[..<dot]), member: member
            ) { (body) throws(DBusError) in
                for argument in arguments { try body.value(argument) }
            }
            bus.call(message, timeout: .seconds(120)) {
                answer.settle($0)
                journal.write(noting ? "\(title) -> \(answer.line(names))" : nil)
            }
        } catch {
            journal.write("\(title) -> never sent: \(error)")
            answer.settle(.failure(error))
        }
        return answer
    }

    /// Waits until a line is there that was not taken yet and contains these words.
    func until(_ words: String, times: Int = 1) {
        trial.wait { [journal] in journal.count { $0.contains(words) } >= times }
    }

    func get(_ object: String, _ interface: String, _ property: String) {
        call(object, "org.freedesktop.DBus.Properties.Get", interface.full, property)
    }

    func set(_ object: String, _ interface: String, _ property: String, _ value: any Argument) {
        call(object, "org.freedesktop.DBus.Properties.Set", interface.full, property, Value.variant(value.value))
    }

    /// Notes all properties of an interface, one a line, each with its type.
    func describe(_ object: String, _ interface: String) {
        let answer = call(object, "org.freedesktop.DBus.Properties.GetAll", interface.full, noting: false)
        guard case .dictionary(_, _, let entries)? = answer.values.first else {
            return journal.write("\(object) GetAll \(interface) -> \(answer.line(trial.names))")
        }
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value else { continue }
            let text = Masked.text(of: name, value, trial.names)
            journal.write("\(object) \(interface) \(name) \(value.signature) \(text)")
        }
    }

    /// Leaves the bus.
    func leave() {
        isOpen = false
        bus.close()
    }
}

extension String {
    /// An interface's whole name.
    fileprivate var full: String { hasPrefix("org.") ? self : "org.bluez." + self }
}

/// What a call can be given.
protocol Argument {
    var value: Value { get }
}

extension Value: Argument { var value: Value { self } }
extension String: Argument { var value: Value { .string(self) } }
extension Bool: Argument { var value: Value { .bool(self) } }
extension [String: Value]: Argument { var value: Value { .properties(self) } }
extension [UInt8]: Argument { var value: Value { .bytes(self) } }
