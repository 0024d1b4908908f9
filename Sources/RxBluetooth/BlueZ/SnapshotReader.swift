import DBus

/// Calls `GetManagedObjects` until bluetoothd returns its objects.
///
/// It repeats the call after every error: a permission can be granted, and a method can appear while bluetoothd starts.
/// A call without a reply stays open when the next call is sent. The first reply counts.
final class SnapshotReader {
    private unowned let client: BlueZClient
    /// The calls that have no reply yet, by number.
    private var requests: [Int: BusTask] = [:]
    private var latest = 0
    private var failures = 0
    /// The timer of the latest call's deadline, or of the pause before the next call.
    private var timer: BusTask?

    /// The longest pauses after an error and after a missing reply, in seconds.
    ///
    /// More calls do not make a slow bluetoothd faster. A bluetoothd that was suspended for a day must not find a
    /// thousand waiting calls.
    private static let longestPauses = (error: 60, silence: 3_600)

    init(_ client: BlueZClient) { self.client = client }

    /// Starts reading from a new bluetoothd, and cancels the calls to the previous one.
    func start() {
        cancel()
        failures = 0
        send()
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        for request in requests.values { request.cancel() }
        requests = [:]
    }

    private func send() {
        latest += 1
        let number = latest
        timer = client.bus.schedule(after: client.settings.deadlines.snapshot) { [weak self] in
            self?.failed(.noReply("GetManagedObjects has no answer yet."), longest: Self.longestPauses.silence)
        }
        requests[number] = client.call(.managedObjects, deadline: .seconds(Int64.max)) { [weak self] result in
            self?.answered(number, result)
        }
    }

    private func answered(_ number: Int, _ result: Result<Message, DBusError>) {
        guard requests.removeValue(forKey: number) != nil else { return }
        do throws(DBusError) {
            client.mirror.empty()
            try client.mirror.readSnapshot(result.get())
            cancel()
            client.snapshotArrived()
        } catch {
            client.mirror.empty()
            // A lost bus fails its calls before it reports the loss. The error waits for that report, which cancels
            // this reader.
            client.bus.perform { [weak self] in
                guard let self, number == latest, timer != nil else { return }
                failed(error, longest: Self.longestPauses.error)
            }
        }
    }

    private func failed(_ error: DBusError, longest: Int) {
        let pause = Duration.seconds(1).doubled(failures, atMost: .seconds(longest))
        failures += 1
        timer?.cancel()
        timer = client.bus.schedule(after: pause) { [weak self] in self?.send() }
        client.snapshotFailed(error, again: pause)
    }
}
