import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The reasons that the library reports for link loss.
///
/// If an adapter is switched off, bluetoothd reports the lost links before it reports the adapter as off.
struct DisconnectReasonTests {
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
    func `An adapter that goes off just after its link is reported as the reason`(
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

    @Test(.proves(.S34, .Q32)) func `An adapter that goes off during connecting is reported as the reason`() {
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

    @Test(.proves(.S34, .Q32)) func `A loss is attributed to the adapter if a final query finds it off`() {
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
    func `A loss that the adapter does not explain is reported after 250 ms`(
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
        .proves(.Q86), .covers(.disconnectReason),
        arguments: [
            ("Timeout", BluetoothError.DisconnectReason.timeout), ("Authentication", .authentication),
            ("Suspend", .suspend),
        ])
    func `A loss that bluetoothd explains is reported without delay`(
        reason: String, kind: BluetoothError.DisconnectReason
    ) {
        let (stage, daemon, link, _) = Self.scripted()
        Self.lose(daemon, saying: reason)
        stage.advance(0)
        #expect(link.kind == .disconnected(kind))
    }

    @Test func `A loss is reported within a second if bluetoothd does not answer`() {
        let (stage, daemon, link, _) = Self.scripted()
        daemon.always("Get") { _ in }
        Self.lose(daemon, saying: nil)
        stage.advance(749)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .disconnected(.unknown))
    }

    @Test(.proves(.S32)) func `A new connect waits until a pending loss has its reason`() {
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

    @Test(.proves(.S30, .S91)) func `Disposal while a loss waits for its reason emits nothing`() {
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
