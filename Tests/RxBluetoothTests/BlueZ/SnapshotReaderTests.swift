import DBus
import RxBluetooth
import RxTest
import TestTraits
import Testing

/// Requests for the snapshot of bluetoothd's objects, when replies are late, malformed or missing.
struct SnapshotReaderTests {
    private static let adapter = ScriptedDaemon.value(ScriptedDaemon.Objects.adapter)
    private static let nothing = ScriptedDaemon.value(ScriptedDaemon.Objects())

    /// Returns a stage (a manager and its clock), and a daemon that does not reply to snapshot requests.
    ///
    /// The test sends these replies.
    private static func holding(_ deadlines: Deadlines = .prompt) -> (Stage, ScriptedDaemon) {
        let stage = Stage(starting: false, deadlines: deadlines)
        let daemon = ScriptedDaemon(on: stage)
        daemon.holdSnapshot()
        return (stage, daemon)
    }

    private static func tell(_ daemon: ScriptedDaemon, _ objects: Value = adapter) {
        daemon.take("GetManagedObjects").reply { (body) throws(DBusError) in try body.value(objects) }
    }

    @Test func `A late snapshot reply is used, and further replies change nothing`() {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(resumes: true)))
        stage.advance(20_000)
        #expect(states.elements == [.daemonUnavailable])
        // Requests were sent at 0, 9 and 19 s. Only now does the daemon reply to the first one, as if it had many
        // objects.
        Self.tell(daemon)
        stage.advance(0)
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
        #expect(daemon.count("StartDiscovery") == 1)
        Self.tell(daemon, Self.nothing)
        Self.tell(daemon, Self.nothing)
        stage.advance(600_000)
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
        #expect(scan.isLive)
    }

    @Test(arguments: [
        ("org.freedesktop.DBus.Error.UnknownMethod", BluetoothState.daemonUnavailable),
        ("org.freedesktop.DBus.Error.UnknownObject", .daemonUnavailable),
        ("org.freedesktop.DBus.Error.NoReply", .daemonUnavailable),
        ("org.freedesktop.DBus.Error.LimitsExceeded", .daemonUnavailable),
        ("org.freedesktop.DBus.Error.NoMemory", .daemonUnavailable),
        ("org.bluez.Error.Failed", .daemonUnavailable), ("org.bluez.Error.NotAuthorized", .daemonUnavailable),
        ("org.freedesktop.DBus.Error.AccessDenied", .unauthorized),
    ])
    func `A snapshot request that fails is repeated with growing pauses`(name: String, state: BluetoothState) {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        stage.advance(0)
        for pause in [1_000, 2_000, 4_000] {
            daemon.take("GetManagedObjects").fail(name)
            stage.advance(pause - 1)
            #expect(!daemon.isAsked("GetManagedObjects"))
            stage.advance(1)
            #expect(daemon.isAsked("GetManagedObjects"))
        }
        Self.tell(daemon)
        stage.advance(0)
        #expect(states.elements.count == 2 && states.elements.last == .poweredOn)
        #expect(name.hasSuffix("NotAuthorized") || states.elements.first == state)
    }

    @Test func `A malformed snapshot is requested again`() {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        stage.advance(0)
        Self.tell(daemon, .strings(["nonsense"]))
        stage.advance(1_000)
        #expect(states.elements == [.daemonUnavailable])
        Self.tell(daemon)
        stage.advance(0)
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
    }

    @Test(.proves(.Q15)) func `A permission granted later is noticed within a minute`() {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        let denied: @Sendable (IncomingCall) -> Void = {
            $0.fail(DBusError(name: DBusError.Name.accessDenied, message: "Rejected send message"))
        }
        let count = BehaviorRelay(value: 0)
        daemon.always("GetManagedObjects") {
            count.accept(count.value + 1)
            denied($0)
        }
        stage.advance(3_600_000)
        #expect(states.elements == [.unauthorized])
        #expect((60...70).contains(count.value))
        daemon.always("GetManagedObjects") { call in
            call.reply { (body) throws(DBusError) in try body.value(Self.adapter) }
        }
        stage.advance(60_000)
        #expect(states.elements == [.unauthorized, .poweredOn])
    }

    @Test func `A silent bluetoothd gets 20 to 40 requests a day, and its first reply is used`() {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        stage.advance(86_400_000)
        var count = 0
        while daemon.isAsked("GetManagedObjects") {
            count += 1
            Self.tell(daemon)
        }
        #expect((20...40).contains(count))
        stage.advance(0)
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
    }

    @Test func `An error reply after a silence does not double the requests`() {
        let (stage, daemon) = Self.holding()
        let states = stage.record(stage.manager.state)
        stage.advance(9_500)
        // Two requests have no reply yet. When the older one fails, the library still waits for the reply to the newer
        // one.
        daemon.take("GetManagedObjects").fail("org.bluez.Error.Failed")
        stage.advance(0)
        daemon.take("GetManagedObjects").fail("org.bluez.Error.Failed")
        stage.advance(1_999)
        #expect(!daemon.isAsked("GetManagedObjects"))
        stage.advance(1)
        Self.tell(daemon)
        stage.advance(0)
        #expect(!daemon.isAsked("GetManagedObjects"))
        #expect(states.elements == [.daemonUnavailable, .poweredOn])
        stage.expectNoTimers()
    }

    @Test(arguments: [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)])
    func `The snapshot reply is used with any snapshot deadline`(deadline: Duration) {
        var deadlines = Deadlines.prompt
        deadlines.snapshot = deadline
        let (stage, daemon) = Self.holding(deadlines)
        let states = stage.record(stage.manager.state)
        stage.advance(500)
        Self.tell(daemon)
        stage.advance(1)
        #expect(states.elements == (deadline > .zero ? [.poweredOn] : [.daemonUnavailable, .poweredOn]))
    }
}
