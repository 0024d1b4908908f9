import DBus

/// One run of a behaviour's program on a ground. The program blocks the thread that it runs on.
final class Trial {
    let ground: any Ground
    let names = Names()
    /// What the first client saw, and the answers that each client got.
    private(set) var transcript: [String] = []
    private let bell = Bell()
    private var clients: [Client] = []
    /// The client of most steps, which hears all signals.
    private(set) lazy var first = another("", listening: true)

    init(on ground: any Ground) {
        self.ground = ground
        first.learn()
    }

    /// A further client with a connection of its own, whose lines begin with its name. It hears no signals unless asked to.
    func another(_ name: String, listening: Bool = false) -> Client {
        let client = Client(name, on: self, bell: bell, listening: listening)
        clients.append(client)
        return client
    }

    /// Which objects' signals stand in the transcript, with everything below them; all but those of these properties.
    func watch(_ objects: String..., hiding properties: Set<String> = []) {
        flush()
        for client in clients { client.focus.set(objects, properties) }
    }

    /// Lets time pass until it is enough. Time enough for anything, in a machine under emulation too.
    func wait(_ limit: Duration = .seconds(20), until isEnough: () -> Bool) {
        ground.wait(limit, for: bell, until: isEnough)
    }

    /// Lets time pass to see what comes or does not come.
    func pass(_ duration: Duration) { ground.wait(duration, for: bell) { false } }

    /// Runs steps that do not belong to the transcript.
    func aside(_ steps: () -> Void) {
        flush()
        steps()
        settle()
        for client in clients { _ = client.journal.take() }
    }

    /// Ends a step: all that it made bluetoothd say has come and is in the transcript, one client after the other.
    func flush() {
        settle()
        for client in clients {
            for line in client.journal.take() { note(client.titled(line)) }
        }
    }

    /// What comes again and again stands there once.
    private func note(_ line: String) {
        let isSignal = !line.contains(" -> ")
        guard isSignal, let last = transcript.last else { return transcript.append(line) }
        if last == line { transcript[transcript.count - 1] = line + " …" }
        if last != line, last != line + " …" { transcript.append(line) }
    }

    /// bluetoothd has handled what was sent, and what it said before has come.
    private func settle() {
        for client in clients where client.isOpen {
            client.call("hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Address", noting: false)
        }
    }

    /// Ends the trial. On a busy machine bluetoothd may say the last of it some turns of its loop later than the step waited for,
    /// so time passes until what is expected has been said, or it is plain that it will not be.
    func end(expecting expected: [String] = []) -> [String] {
        let once = { (line: String) in line.hasSuffix(" …") ? String(line.dropLast(2)) : line }
        let missing = Set(expected.map(once)).subtracting(transcript.map(once))
        wait(.seconds(3)) {
            missing.isSubset(of: clients.flatMap { client in client.journal.pending.map(client.titled) })
        }
        flush()
        for client in clients { client.leave() }
        return transcript
    }
}
