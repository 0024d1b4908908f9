import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The calls between a passive scan and bluetoothd, with a bluetoothd that the test controls.
struct PassiveScanCallTests {
    private static let monitor = "org.bluez.AdvertisementMonitor1"
    private static let manager = "org.freedesktop.DBus.ObjectManager"
    private static let company = AdvertisementPattern(type: 0xFF, offset: 1, bytes: [0x59])
    private static let climate = AdvertisementPattern.serviceData(of: 0x181A)

    /// A passive scan of a scripted bluetoothd, and the application that it registers.
    private struct Scripted {
        let stage: Stage
        let daemon: ScriptedDaemon
        let scan: Recording<ScannedPeripheral>

        init() {
            stage = Stage(starting: false)
            daemon = ScriptedDaemon(on: stage, .oneDevice)
            scan = PassiveScanCallTests.scan(stage, company)
            stage.advance(0)
        }

        /// Answers `RegisterMonitor`. Returns the application.
        func registered() throws -> Application {
            let application = try Application(daemon.take("RegisterMonitor"))
            application.call.reply()
            stage.advance(0)
            return application
        }

        /// Calls a method of an object of the application, and returns the reply or the error.
        func call(
            _ application: Application, _ path: String, _ interface: String, _ member: String, _ device: String? = nil,
            from stranger: (any Bus)? = nil
        ) throws -> Result<Value?, DBusError> {
            let bus = try stranger ?? #require(daemon.connection)
            let path = try #require(ObjectPath(application.path.description + path))
            let call = try Message.call(to: application.client, path: path, interface: interface, member: member) {
                (body) throws(DBusError) in
                if let device { try body.objectPath(ObjectPath(device) ?? .root) }
                if member == "GetAll" { try body.string(PassiveScanCallTests.monitor) }
            }
            let answer = AnswerBox()
            bus.call(call, timeout: .seconds(5)) { result in
                answer.set(result.map { reply in try? reply.read { (body) throws(DBusError) in try body.value() } })
            }
            stage.advance(1)
            return try #require(answer.value)
        }

        func activate(_ application: Application, _ path: String = "/monitor1") throws {
            _ = try call(application, path, PassiveScanCallTests.monitor, "Activate").get()
        }

        func find(_ application: Application, _ path: String = "/monitor1") throws {
            _ = try call(
                application, path, PassiveScanCallTests.monitor, "DeviceFound", ScriptedDaemon.Objects.devicePath
            ).get()
        }
    }

    private struct Application {
        let call: ScriptedDaemon.Pending
        let client: String
        let path: ObjectPath

        init(_ call: ScriptedDaemon.Pending) throws {
            self.call = call
            client = try #require(call.call?.message.sender)
            path = try #require(try call.call?.message.read { (body) throws(DBusError) in try body.objectPath() })
        }
    }

    private static func scan(_ stage: Stage, _ pattern: AdvertisementPattern) -> Recording<ScannedPeripheral> {
        stage.record(
            stage.manager.scanForPeripherals(
                options: ScanOptions(allowsDuplicates: true, source: .dbus, mode: .passive(patterns: [pattern]))))
    }

    private static func objects(_ application: ObjectPath, _ monitors: [String: [Value]]) -> Value {
        .dictionary(
            key: "o", value: "a{sa{sv}}",
            monitors.sorted { $0.key < $1.key }.map { path, patterns in
                Value.Entry(
                    .objectPath(ObjectPath(application.description + path) ?? .root),
                    .dictionary(
                        key: "s", value: "a{sv}",
                        [
                            Value.Entry(
                                .string(monitor),
                                .properties([
                                    "Type": .string("or_patterns"), "Patterns": .array(of: "(yyay)", patterns),
                                ]))
                        ]))
            })
    }

    private static let companyValue = Value.structure([.byte(1), .byte(0xFF), .bytes([0x59])])
    private static let climateValue = Value.structure([.byte(0), .byte(0x16), .bytes([0x1A, 0x18])])

    @Test(.proves(.Q67)) func `bluetoothd reads a monitor with the patterns, activates it, and finds devices`() throws {
        let scripted = Scripted()
        let application = try Application(scripted.daemon.take("RegisterMonitor"))
        let objects = try scripted.call(application, "", Self.manager, "GetManagedObjects").get()
        #expect(objects == Self.objects(application.path, ["/monitor1": [Self.companyValue]]))
        application.call.reply()
        scripted.stage.advance(1_000)
        #expect(scripted.scan.elements.isEmpty && scripted.scan.isLive)
        try scripted.find(application)
        #expect(scripted.scan.elements.isEmpty)
        try scripted.activate(application)
        try scripted.find(application)
        #expect(scripted.scan.elements.map(\.peripheral.address) == ["C0:FF:EE:00:00:01"])
        try scripted.find(application)
        _ = try scripted.call(
            application, "/monitor1", Self.monitor, "DeviceLost", ScriptedDaemon.Objects.devicePath
        ).get()
        #expect(scripted.scan.elements.count == 2)
        let properties = try scripted.call(
            application, "/monitor1", "org.freedesktop.DBus.Properties", "GetAll"
        ).get()
        #expect(
            properties
                == .properties([
                    "Type": .string("or_patterns"), "Patterns": .array(of: "(yyay)", [Self.companyValue]),
                ]))
    }

    @Test func `A monitor that is activated before the reply is used`() throws {
        let scripted = Scripted()
        let application = try Application(scripted.daemon.take("RegisterMonitor"))
        try scripted.activate(application)
        try scripted.find(application)
        application.call.reply()
        scripted.stage.advance(20_000)
        try scripted.find(application)
        #expect(scripted.scan.elements.count == 2 && scripted.scan.isLive)
    }

    @Test func `Changes of properties do not count as advertisements`() throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        try scripted.activate(application)
        scripted.daemon.change(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["RSSI": .int16(-50)])
        scripted.stage.advance(1)
        #expect(scripted.scan.elements.isEmpty)
        try scripted.find(application)
        #expect(scripted.scan.elements.map(\.rssi) == [-50])
    }

    @Test(.proves(.Q17)) func `Only bluetoothd can use a monitor`() throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        let stranger = scripted.stage.simulation.bus.join()
        for (path, interface, member) in [
            ("", Self.manager, "GetManagedObjects"), ("/monitor1", Self.monitor, "Activate"),
            ("/monitor1", Self.monitor, "Release"),
            ("/monitor1", "org.freedesktop.DBus.Properties", "GetAll"),
        ] {
            let answer = try scripted.call(application, path, interface, member, from: stranger)
            #expect(throws: DBusError.self) { try answer.get() }
            if case .failure(let error) = answer { #expect(error.name.hasSuffix("AccessDenied")) }
        }
        try scripted.find(application)
        #expect(scripted.scan.elements.isEmpty && scripted.scan.isLive)
        try scripted.activate(application)
        let answer = try scripted.call(
            application, "/monitor1", Self.monitor, "DeviceFound", ScriptedDaemon.Objects.devicePath, from: stranger)
        #expect(throws: DBusError.self) { try answer.get() }
        #expect(scripted.scan.elements.isEmpty)
    }

    @Test func `Unknown objects, methods and devices are refused or ignored`() throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        try scripted.activate(application)
        for (path, member) in [("/monitor2", "Activate"), ("/monitor1", "Explode"), ("", "Activate")] {
            #expect(throws: DBusError.self) { try scripted.call(application, path, Self.monitor, member).get() }
        }
        for device in ["/org/bluez/hci0/dev_C0_FF_EE_00_00_09", "/org/bluez/hci0", "/"] {
            _ = try scripted.call(application, "/monitor1", Self.monitor, "DeviceFound", device).get()
        }
        _ = try scripted.call(application, "/monitor1", Self.monitor, "DeviceFound").get()
        try scripted.activate(application)
        #expect(scripted.scan.elements.isEmpty && scripted.scan.isLive)
    }

    // MARK: Refusals

    @Test(.proves(.Q67)) func `A monitor that is released before its activation is not supported`() throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        _ = try scripted.call(application, "/monitor1", Self.monitor, "Release").get()
        #expect(scripted.scan.kind == .unsupported && scripted.scan.error?.operation == .scan)
        #expect(scripted.scan.error?.description.contains("does not support a monitor with these patterns") == true)
        #expect(scripted.scan.error?.advice?.contains(".active") == true)
        scripted.daemon.take("UnregisterMonitor").reply()
        scripted.stage.advance(0)
        #expect(scripted.daemon.methods == ["RegisterMonitor", "UnregisterMonitor"])
        scripted.stage.expectSettled()
        scripted.stage.expectNoTimers()
    }

    @Test func `A monitor that is not activated before the deadline fails the scan`() throws {
        let scripted = Scripted()
        _ = try scripted.registered()
        scripted.stage.advance(14_999)
        #expect(scripted.scan.isLive)
        scripted.stage.advance(1)
        #expect(scripted.scan.kind == .timedOut)
        scripted.daemon.take("UnregisterMonitor").reply()
        scripted.stage.advance(0)
        scripted.stage.expectSettled()
    }

    @Test func `A registration without a reply times out and is undone`() throws {
        let scripted = Scripted()
        scripted.stage.advance(15_000)
        #expect(scripted.scan.kind == .timedOut)
        #expect(scripted.daemon.methods == ["RegisterMonitor", "UnregisterMonitor"])
        scripted.daemon.take("UnregisterMonitor").reply()
        scripted.stage.advance(0)
        scripted.stage.expectSettled()
    }

    @Test func `Other errors of the registration fail the scan, and nothing is unregistered`() {
        for (name, kind): (String, BluetoothError.Kind) in [
            ("org.bluez.Error.Failed", .bluez), ("org.bluez.Error.InvalidArguments", .invalidArgument),
            ("org.freedesktop.DBus.Error.AccessDenied", .unauthorized),
            ("org.freedesktop.DBus.Error.UnknownObject", .noAdapter),
        ] {
            let scripted = Scripted()
            scripted.daemon.take("RegisterMonitor").fail(name)
            scripted.stage.advance(0)
            #expect(scripted.scan.kind == kind)
            #expect(scripted.daemon.methods == ["RegisterMonitor"])
            scripted.stage.expectSettled()
        }
    }

    @Test(.proves(.Q114)) func `A release of the active monitor fails the scan with its reason`() throws {
        for isOff in [false, true] {
            let scripted = Scripted()
            let application = try scripted.registered()
            try scripted.activate(application)
            _ = try scripted.call(application, "/monitor1", Self.monitor, "Release").get()
            #expect(scripted.scan.isLive)
            if isOff {
                scripted.daemon.change(
                    ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1",
                    ["Powered": .bool(false), "PowerState": .string("off")])
            }
            scripted.daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(!isOff))) }
            scripted.stage.advance(0)
            #expect(scripted.scan.kind == (isOff ? .poweredOff : .bluez))
            scripted.daemon.take("UnregisterMonitor").reply()
            scripted.stage.advance(0)
            scripted.stage.expectSettled()
        }
    }

    // MARK: Replacing the monitor

    @Test func `A replaced monitor is removed when the new one is active`() throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        try scripted.activate(application)
        let signals = LineRecorder()
        let bus = try #require(scripted.daemon.connection)
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            let rule = MatchRule(
                sender: application.client, interface: Self.manager, member: member, path: application.path)
            _ = bus.subscribe(rule) { signal in
                let path = try? signal.read { (body) throws(DBusError) in try body.objectPath() }
                signals.note("\(member) \(path?.description.split(separator: "/").last ?? "")")
            }
        }
        scripted.stage.advance(1)
        let second = Self.scan(scripted.stage, Self.climate)
        scripted.stage.advance(1)
        #expect(signals.lines == ["InterfacesAdded monitor2"])
        try scripted.find(application)
        try scripted.find(application, "/monitor2")
        #expect(scripted.scan.elements.count == 1 && second.elements.count == 1)
        let both = [Self.climateValue, Self.companyValue]
        #expect(
            try scripted.call(application, "", Self.manager, "GetManagedObjects").get()
                == Self.objects(application.path, ["/monitor1": [Self.companyValue], "/monitor2": both]))
        try scripted.activate(application, "/monitor2")
        scripted.stage.advance(1)
        #expect(signals.lines == ["InterfacesAdded monitor2", "InterfacesRemoved monitor1"])
        #expect(throws: DBusError.self) { try scripted.find(application) }
        try scripted.find(application, "/monitor2")
        #expect(scripted.scan.elements.count == 2 && second.elements.count == 2)
        let same = Self.scan(scripted.stage, Self.climate)
        second.dispose()
        scripted.stage.advance(1)
        #expect(signals.lines.count == 2 && same.isLive)
        same.dispose()
        scripted.stage.advance(1)
        #expect(signals.lines.last == "InterfacesAdded monitor3")
        #expect(scripted.daemon.methods == ["RegisterMonitor"])
    }

    @Test(arguments: [true, false])
    func `If a new monitor is refused, only the scans that need it fail`(_ isReleased: Bool) throws {
        let scripted = Scripted()
        let application = try scripted.registered()
        try scripted.activate(application)
        let second = Self.scan(scripted.stage, Self.climate)
        let third = Self.scan(scripted.stage, Self.climate)
        scripted.stage.advance(1)
        if isReleased {
            _ = try scripted.call(application, "/monitor2", Self.monitor, "Release").get()
        } else {
            scripted.stage.advance(15_000)
        }
        #expect(second.kind == (isReleased ? .unsupported : .timedOut) && third.kind == second.kind)
        try scripted.find(application)
        #expect(scripted.scan.elements.count == 1 && scripted.scan.isLive)
        #expect(throws: DBusError.self) { try scripted.find(application, "/monitor2") }
        #expect(throws: DBusError.self) { try scripted.find(application, "/monitor3") }
        scripted.stage.expectNoTimers()
    }

    // MARK: Disposal

    @Test(arguments: ["registering", "waiting", "active", "replacing", "released"])
    func `Disposal in each phase unregisters the monitor once`(_ phase: String) throws {
        let scripted = Scripted()
        var others: [Recording<ScannedPeripheral>] = []
        if phase != "registering" {
            let application = try scripted.registered()
            if phase != "waiting" { try scripted.activate(application) }
            if phase == "replacing" { others.append(Self.scan(scripted.stage, Self.climate)) }
            if phase == "released" {
                _ = try scripted.call(application, "/monitor1", Self.monitor, "Release").get()
            }
        }
        for other in others { other.dispose() }
        scripted.scan.dispose()
        scripted.stage.advance(0)
        scripted.daemon.take("UnregisterMonitor").reply()
        if phase == "released" { scripted.daemon.take("Get").reply() }
        scripted.stage.advance(0)
        #expect(scripted.daemon.count("UnregisterMonitor") == 1 && scripted.daemon.count("RegisterMonitor") == 1)
        #expect(scripted.scan.times.isEmpty)
        scripted.stage.expectSettled()
        if phase != "registering" { scripted.stage.expectNoTimers() }
    }

    @Test(.proves(.S13)) func `A crash in each phase fails the scan and sends nothing`() throws {
        for steps in 0..<3 {
            let scripted = Scripted()
            if steps > 0 {
                let application = try scripted.registered()
                if steps > 1 { try scripted.activate(application) }
            }
            scripted.daemon.crash()
            scripted.stage.advance(1)
            #expect(scripted.scan.kind == .daemonUnavailable)
            #expect(scripted.daemon.methods == ["RegisterMonitor"])
            scripted.stage.expectSettled()
        }
    }
}

/// The answer to a call, set in the context of the bus.
private final class AnswerBox: Sendable {
    private let state = Guarded<Result<Value?, DBusError>?>(nil)

    var value: Result<Value?, DBusError>? { state.withLock { $0 } }

    func set(_ answer: Result<Value?, DBusError>) { state.withLock { $0 = answer } }
}
