import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The automatic transport with a bluetoothd that replies as a test needs it.
struct AutomaticTransportReplyTests {
    let stage: Stage
    let daemon: ScriptedDaemon
    let link: Recording<Peripheral>
    let characteristic: Characteristic

    init() { self.init(modalias: "usb:v1D6Bp0246d0557") }

    /// Earlier versions, and unknown ones, open a socket only after a trial.
    private init(modalias: String?) {
        let objects = ScriptedDaemon.Objects.oneKnownDevice.setting(
            ScriptedDaemon.Objects.characteristicPath, "org.bluez.GattCharacteristic1",
            ["NotifyAcquired": .bool(false)])
        self.init(
            objects.setting(
                ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1",
                modalias.map { ["Modalias": .string($0)] } ?? [:]))
    }

    private init(_ objects: ScriptedDaemon.Objects) {
        let peripheral: Peripheral
        (stage, daemon, peripheral) = Stage.scripted(objects)
        link = stage.connect(peripheral, daemon)
        characteristic = stage.characteristic(0x2A37, of: peripheral)
    }

    /// The calls that turn notifications on or off, in order.
    private var calls: [String] { daemon.methods.filter { $0.hasSuffix("Notify") } }

    private func subscribe(_ transport: NotificationTransport) -> Recording<[UInt8]> {
        let values = stage.record(characteristic.observeValueUpdates(using: transport))
        stage.advance(0)
        return values
    }

    /// Replies to `AcquireNotify` with a socket, and returns bluetoothd's end.
    private func openSocket() throws -> SharedSocket {
        let call = daemon.take("AcquireNotify")
        let end = SharedSocket(
            try PacketSocket.pair { (theirs) throws(DBusError) in
                call.reply { (body) throws(DBusError) in
                    body.descriptor(theirs)
                    body.uint16(23)
                }
            })
        stage.advance(0)
        return end
    }

    @Test func `A characteristic without NotifyAcquired uses signals at once`() {
        let old = Self(.oneKnownDevice)
        let values = old.subscribe(.automatic)
        #expect(old.calls == ["StartNotify"])
        old.daemon.take("StartNotify").reply()
        old.daemon.notifies([1])
        old.stage.advance(0)
        #expect(values.elements == [[1]])
    }

    @Test(.proves(.Q105)) func `Each refusal of a socket is followed by StartNotify`() {
        for (name, text) in [
            ("org.bluez.Error.NotPermitted", "Notify acquired"), ("org.bluez.Error.InProgress", "In Progress"),
            ("org.bluez.Error.NotSupported", "Operation is not supported"),
            ("org.bluez.Error.Failed", "Too many open files"),
            ("org.freedesktop.DBus.Error.UnknownMethod", "No such method"),
        ] {
            let values = subscribe(.automatic)
            daemon.take("AcquireNotify").fail(name, text)
            stage.advance(0)
            daemon.notifies([1])
            daemon.take("StartNotify").reply()
            daemon.notifies([2])
            stage.advance(0)
            #expect(values.elements == [[1], [2]], "\(name)")
            values.dispose()
            stage.advance(0)
            daemon.take("StopNotify").reply()
            stage.advance(0)
        }
        #expect(link.isLive)
    }

    @Test(.proves(.Q105)) func `If signals are also refused, the stream fails with that error`() {
        let values = subscribe(.automatic)
        daemon.take("AcquireNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        #expect(values.isLive)
        daemon.take("StartNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        #expect(values.kind == .exclusiveUse)
        #expect(calls == ["AcquireNotify", "StartNotify"])
    }

    @Test(.proves(.Q8, .Q105)) func `A socket request without a reply fails with a time-out`() {
        let values = subscribe(.automatic)
        stage.advance(30_000)
        #expect(values.kind == .timedOut)
        #expect(calls == ["AcquireNotify", "StopNotify"])
        daemon.take("StopNotify").reply()
        stage.advance(0)
        #expect(calls == ["AcquireNotify", "StopNotify"])
    }

    // MARK: Versions that crash after a refused socket

    private static let crashing = [nil, "usb:v1D6Bp0246d0542", "usb:v1D6Bp0246d0552"]

    /// Answers the calls of a trial, so that the socket is requested.
    private func answerTrial() {
        daemon.take("StartNotify").reply()
        stage.advance(0)
        daemon.take("StopNotify").reply()
        stage.advance(0)
    }

    @Test(.proves(.Q132), arguments: crashing)
    func `Versions that crash get one trial before the first socket request of a link`(
        modalias: String?
    ) throws {
        let old = Self(modalias: modalias)
        for transport in [NotificationTransport.automatic, .socket] {
            let values = old.subscribe(transport)
            if transport == .automatic {
                #expect(old.calls == ["StartNotify"])
                // Some peripherals send a value only when notifications are first turned on.
                old.daemon.notifies([1])
                old.daemon.take("StartNotify").reply()
                old.stage.advance(0)
                // bluetoothd may signal such a value until it has handled StopNotify.
                old.daemon.notifies([3])
                old.daemon.take("StopNotify").reply()
                old.daemon.notifies([9])
                old.stage.advance(0)
            }
            let end = try old.openSocket()
            end.socket.send([2])
            old.stage.advance(1)
            #expect(values.elements == (transport == .automatic ? [[1], [3], [2]] : [[2]]))
            values.dispose()
            old.stage.advance(0)
            old.daemon.take("StopNotify").reply()
            old.stage.advance(0)
        }
        #expect(old.calls.prefix(2) == ["StartNotify", "StopNotify"])
        #expect(old.calls.dropFirst(2) == ["AcquireNotify", "StopNotify", "AcquireNotify", "StopNotify"])
    }

    @Test(.proves(.Q132), arguments: crashing, [NotificationTransport.automatic, .socket])
    func `Versions that crash get no socket request if the peripheral refuses the trial`(
        modalias: String?, transport: NotificationTransport
    ) {
        let old = Self(modalias: modalias)
        let values = old.subscribe(transport)
        old.daemon.take("StartNotify").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
        old.stage.advance(0)
        #expect(values.kind == .attError)
        // Each subscription tries again, because the peripheral may have changed.
        let again = old.subscribe(transport)
        old.daemon.take("StartNotify").fail("org.bluez.Error.NotPermitted", "Not paired")
        old.stage.advance(0)
        #expect(again.kind == .needsPairing)
        #expect(old.calls == ["StartNotify", "StartNotify"])
    }

    @Test(.proves(.S56, .Q132), arguments: crashing)
    func `No operation runs between a trial and its socket request`(modalias: String?) throws {
        let old = Self(modalias: modalias)
        let values = old.subscribe(.socket)
        let written = old.stage.record(old.characteristic.writeValue([7]))
        old.stage.advance(0)
        old.daemon.take("StartNotify").reply()
        old.stage.advance(0)
        #expect(old.daemon.methods.suffix(3) == ["StartNotify", "StopNotify", "AcquireNotify"])
        old.daemon.take("StopNotify").reply()
        let end = try old.openSocket()
        #expect(old.daemon.methods.last == "WriteValue")
        end.socket.send([1])
        old.daemon.take("WriteValue").reply()
        old.stage.advance(1)
        #expect(values.elements == [[1]] && written.isCompleted)
    }

    @Test(.proves(.Q132)) func `Signals that are requested during a trial replace the socket`() {
        let old = Self(modalias: "usb:v1D6Bp0246d0552")
        let values = old.subscribe(.automatic)
        let signals = old.subscribe(.signals)
        old.daemon.take("StartNotify").reply()
        old.stage.advance(0)
        old.daemon.notifies([1])
        old.stage.advance(0)
        #expect(old.calls == ["StartNotify"])
        for recording in [values, signals] { #expect(recording.elements == [[1]]) }
    }

    @Test(.proves(.Q132), arguments: crashing)
    func `Versions that crash get no StopNotify after a socket request without a reply`(modalias: String?) {
        let old = Self(modalias: modalias)
        let first = old.subscribe(.automatic)
        old.answerTrial()
        old.stage.advance(30_000)
        #expect(first.kind == .timedOut)
        let second = old.subscribe(.automatic)
        old.stage.advance(0)
        let expected = ["StartNotify", "StopNotify", "AcquireNotify", "AcquireNotify"]
        #expect(old.calls == expected)
        // The link is lost before the reply.
        old.daemon.deviceChanges(["Connected": .bool(false)])
        old.stage.advance(1_000)
        #expect(second.error != nil && old.calls == expected)
        // Removing the device would crash bluetoothd, too.
        old.stage.advance(5_000)
        #expect(old.daemon.count("RemoveDevice") == 0)
    }

    @Test(.proves(.Q112)) func `A request that fails without a link is not followed by StartNotify`() {
        let values = subscribe(.automatic)
        daemon.take("AcquireNotify").fail("org.bluez.Error.Failed", "Not connected")
        stage.advance(0)
        #expect(values.kind == .notConnected)
        #expect(calls == ["AcquireNotify"])
    }

    @Test func `A reply without a socket is followed by signals`() {
        let values = subscribe(.automatic)
        let strict = subscribe(.socket)
        daemon.take("AcquireNotify").reply()
        stage.advance(0)
        #expect(strict.kind == .protocolViolation)
        daemon.take("StopNotify").reply()
        stage.advance(0)
        daemon.take("StartNotify").reply()
        daemon.notifies([1])
        stage.advance(0)
        #expect(values.elements == [[1]])
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
    }

    @Test(.proves(.S76)) func `The values of the socket precede those of signals, and none is doubled`() throws {
        let values = subscribe(.automatic)
        let end = try openSocket()
        end.socket.send([1])
        stage.advance(1)
        let signals = subscribe(.signals)
        // Both calls are sent at once, so that bluetoothd has no time to lose a value between them.
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
        end.socket.send([2])
        daemon.take("StopNotify").reply()
        daemon.notifies([3])
        daemon.take("StartNotify").reply()
        daemon.notifies([4])
        stage.advance(0)
        #expect(values.elements == [[1], [2], [3], [4]])
        #expect(signals.elements == [[2], [3], [4]])
        stage.advance(10)
        #expect(end.socket.receive() == .ended)
        #expect(values.isLive && signals.isLive)
        #expect(daemon.count("Get") == 0)
    }

    @Test(.proves(.Q105)) func `A change that bluetoothd refuses fails the stream after the socket's values`() throws {
        let values = subscribe(.automatic)
        let end = try openSocket()
        let signals = subscribe(.signals)
        end.socket.send([1])
        daemon.take("StopNotify").reply()
        daemon.take("StartNotify").fail("org.bluez.Error.NotPermitted", "Notify acquired")
        stage.advance(0)
        #expect(values.elements == [[1]])
        #expect([values.kind, signals.kind] == [.exclusiveUse, .exclusiveUse])
        #expect(link.isLive)
    }

    @Test(.proves(.Q105)) func `Requested signals change a socket that is just being opened`() throws {
        let values = subscribe(.automatic)
        let signals = subscribe(.signals)
        let end = try openSocket()
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
        end.socket.send([1])
        daemon.take("StopNotify").reply()
        daemon.take("StartNotify").reply()
        daemon.notifies([2])
        stage.advance(0)
        for recording in [values, signals] { #expect(recording.elements == [[1], [2]]) }
    }

    @Test(.proves(.Q105)) func `Requested signals replace a queued request for a socket`() {
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        let values = subscribe(.automatic)
        let signals = subscribe(.signals)
        daemon.take("ReadValue").reply { (body) throws(DBusError) in body.bytes([0]) }
        stage.advance(0)
        #expect(calls == ["StartNotify"])
        daemon.take("StartNotify").reply()
        daemon.notifies([1])
        stage.advance(0)
        for recording in [values, signals] { #expect(recording.elements == [[1]]) }
        #expect(read.elements == [[0]])
    }

    @Test(.proves(.Q107)) func `A socket that ends during a queued change is followed by one StartNotify`() throws {
        let values = subscribe(.automatic)
        var end: SharedSocket? = try openSocket()
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        let signals = subscribe(.signals)
        #expect(calls == ["AcquireNotify"])
        end?.socket.send([1])
        end = nil
        stage.advance(1)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) }
        stage.advance(0)
        daemon.take("ReadValue").reply { (body) throws(DBusError) in body.bytes([0]) }
        stage.advance(0)
        daemon.take("StartNotify").reply()
        daemon.notifies([2])
        stage.advance(0)
        #expect(calls == ["AcquireNotify", "StartNotify"])
        for recording in [values, signals] { #expect(recording.elements == [[1], [2]]) }
        #expect(read.elements == [[0]])
    }
}
