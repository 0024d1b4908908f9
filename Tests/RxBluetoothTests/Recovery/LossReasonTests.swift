import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Somebody switches the adapter off below bluetoothd, which hears of the links first and of the adapter last (Q32).
struct LossReasonTests {
    private typealias Objects = ScriptedDaemon.Objects

    private static func scripted() -> (Stage, ScriptedDaemon, Recording<Peripheral>, Peripheral) {
        let (stage, daemon, peripheral) = Stage.scripted(deadlines: Deadlines())
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let link = stage.connect(peripheral, daemon)
        return (stage, daemon, link, peripheral)
    }

    private static func lose(_ daemon: ScriptedDaemon, saying reason: String?) {
        if let reason {
            daemon.signal(Objects.devicePath, "org.bluez.Device1", "Disconnected") { (body) throws(DBusError) in
                try body.string("org.bluez.Reason.\(reason)")
                try body.string("")
            }
        }
        daemon.deviceChanges(["Connected": .bool(false)])
    }

    @Test(.proves(.S34, .Q32), arguments: [nil, "Remote", "Local", "Unknown"])
    func `An adapter that is heard of a moment after its link is the reason, and is told at once`(
        reason: String?
    ) {
        let (stage, daemon, link, _) = Self.scripted()
        Self.lose(daemon, saying: reason)
        stage.advance(67)
        #expect(link.isLive)
        daemon.change(Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(false)])
        stage.advance(0)
        #expect(link.kind == .disconnected(.adapter))
        #expect(daemon.methods == ["Connect"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S34, .Q32))
    func `So it is in the middle of connecting, where bluetoothd just takes the device away`() {
        let (stage, daemon, peripheral) = Stage.scripted(deadlines: Deadlines())
        let link = stage.record(peripheral.connect())
        stage.advance(200)
        daemon.remove(Objects.devicePath, "org.bluez.Device1")
        stage.advance(67)
        #expect(link.isLive)
        daemon.change(Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(false)])
        stage.advance(0)
        #expect(link.kind == .disconnected(.adapter))
        #expect(daemon.methods == ["Connect"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S34, .Q32))
    func `What bluetoothd says of its adapter in the end counts, also where it was not read in time`() {
        let (stage, daemon, link, _) = Self.scripted()
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(false))) } }
        Self.lose(daemon, saying: nil)
        stage.advance(249)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(.adapter))
    }

    @Test(arguments: [
        (nil, BluetoothError.DisconnectReason.unknown), ("Remote", .remote), ("Local", .local),
    ])
    func `A loss that the adapter does not explain is told after a quarter of a second`(
        reason: String?, kind: BluetoothError.DisconnectReason
    ) {
        let (stage, daemon, link, _) = Self.scripted()
        Self.lose(daemon, saying: reason)
        stage.advance(249)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(kind))
        #expect(daemon.methods == ["Connect", "Get"])
        stage.expectNoTimers()
    }

    @Test(
        .proves(.Q86),
        arguments: [
            ("Timeout", BluetoothError.DisconnectReason.timeout), ("Authentication", .authentication),
            ("Suspend", .suspend),
        ])
    func `A loss that bluetoothd explains is told without delay`(
        reason: String, kind: BluetoothError.DisconnectReason
    ) {
        let (stage, daemon, link, _) = Self.scripted()
        Self.lose(daemon, saying: reason)
        stage.advance(0)
        #expect(link.kind == .disconnected(kind))
    }

    @Test func `A loss is told within a second also where bluetoothd hangs`() {
        let (stage, daemon, link, _) = Self.scripted()
        daemon.always("Get") { _ in }
        Self.lose(daemon, saying: nil)
        stage.advance(749)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(.unknown))
    }

    @Test(.proves(.S32)) func `Who connects while a loss waits for its reason waits for that, and connects then`() {
        let (stage, daemon, link, peripheral) = Self.scripted()
        Self.lose(daemon, saying: nil)
        stage.advance(100)
        let next = stage.record(peripheral.connect())
        stage.advance(149)
        #expect(link.isLive && next.isLive)
        #expect(daemon.count("Connect") == 1)
        stage.advance(1)
        #expect(link.kind == .disconnected(.unknown))
        daemon.take("Connect").reply()
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        #expect(next.elements == [peripheral])
    }

    @Test(.proves(.S30, .S91)) func `Disposing while a loss waits for its reason ends that silently`() {
        let (stage, daemon, link, _) = Self.scripted()
        Self.lose(daemon, saying: nil)
        stage.advance(100)
        link.dispose()
        stage.advance(1_000)
        #expect(link.times.count == 1)
        #expect(daemon.methods == ["Connect"])
        stage.expectSettled()
        stage.expectNoTimers()
    }
}
