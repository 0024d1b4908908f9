import DBus

/// One run of a behaviour's program on a ground (a bus). The program blocks its thread.
final class Trial {
    let ground: any Ground
    let names = ObjectNames()
    /// The signals that the first client received, and the replies to each client.
    private(set) var transcript: [String] = []
    private let activity = ActivitySignal()
    private var clients: [Client] = []
    /// The client that makes most calls. It receives all signals.
    private(set) lazy var first = another("", listening: true)

    init(on ground: any Ground) {
        self.ground = ground
        first.learn()
    }

    /// Adds a client with its own connection. Each of its lines begins with its name.
    ///
    /// - Parameter listening: Whether the client receives signals.
    func another(_ name: String, listening: Bool = false) -> Client {
        let client = Client(name, on: self, activity: activity, listening: listening)
        clients.append(client)
        return client
    }

    /// Limits the transcript to signals of these objects and the objects below them.
    ///
    /// - Parameter properties: Properties; their changes are hidden.
    func watch(_ objects: String..., hiding properties: Set<String> = []) {
        flush()
        for client in clients { client.signalFilter.set(objects, properties) }
    }

    /// Lets time pass until a condition is true or the limit is reached.
    ///
    /// The default limit is long enough for any step, even in emulation.
    func wait(_ limit: Duration = .seconds(20), until isEnough: () -> Bool) {
        ground.wait(limit, for: activity, until: isEnough)
    }

    /// Lets time pass, so that late signals arrive.
    func pass(_ duration: Duration) { ground.wait(duration, for: activity) { false } }

    /// Runs steps without adding their lines to the transcript.
    func aside(_ steps: () -> Void) {
        flush()
        steps()
        settle()
        for client in clients { _ = client.eventLog.take() }
    }

    /// Ends a step: waits for its messages, and adds the lines of each client to the transcript.
    func flush() {
        settle()
        for client in clients {
            for line in client.eventLog.take() { note(client.titled(line)) }
        }
    }

    /// Adds a line. A signal that repeats becomes one line that ends with “…”.
    private func note(_ line: String) {
        let isSignal = !line.contains(" -> ")
        guard isSignal, let last = transcript.last else { return transcript.append(line) }
        if last == line { transcript[transcript.count - 1] = line + " …" }
        if last != line, last != line + " …" { transcript.append(line) }
    }

    /// Waits until bluetoothd has handled all calls and the clients have received its earlier messages.
    private func settle() {
        for client in clients where client.isOpen {
            client.call("hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Address", noting: false)
        }
    }

    /// Ends the trial, and returns the transcript.
    ///
    /// On a busy machine, bluetoothd can send the last messages late, so `end` waits up to 3 s for the expected lines.
    func end(expecting expected: [String] = []) -> [String] {
        let once = { (line: String) in line.hasSuffix(" …") ? String(line.dropLast(2)) : line }
        let missing = Set(expected.map(once)).subtracting(transcript.map(once))
        wait(.seconds(3)) {
            missing.isSubset(of: clients.flatMap { client in client.eventLog.pending.map(client.titled) })
        }
        flush()
        for client in clients { client.leave() }
        return transcript
    }
}
