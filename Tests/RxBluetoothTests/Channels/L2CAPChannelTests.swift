import DBus
import Glibc
import RxBluetoothMocks
import SoakTesting
import TestTraits
import Testing

@testable import RxBluetooth

/// L2CAP channels to a simulated peripheral, over pairs of sockets.
struct L2CAPChannelTests {
    // MARK: Opening

    @Test(.proves(.S114, .Q117)) func `A channel opens with its address, kind, security and sizes`() throws {
        let (stage, sockets, peripheral, link) = Stage.withChannels(SimulatedChannel(mtu: 500, mps: 120))
        let (opening, channel) = try stage.openChannel(
            peripheral, L2CAPChannelOptions(security: .encrypted, receiveMTU: 900))
        defer { withExtendedLifetime(opening) {} }
        #expect(opening.isLive && opening.elements.count == 1)
        #expect(channel.psm == 128 && channel.peripheral == peripheral && channel.mtu == 500)
        #expect(channel.parameters == L2CAPParameters(mtu: 500, receiveMTU: 2048, mps: 120))
        let request = try #require(sockets.requests.first)
        #expect(request.peer == Sensor.address && request.peerKind == .random && request.psm == 128)
        #expect(request.adapter == "hci0" && request.adapterAddress == Radio.firstAddress)
        #expect(request.security == .encrypted && request.receiveMTU == 900)
        #expect(link.isLive)
    }

    @Test(
        .proves(.S114),
        arguments: [
            (UInt16(129), SimulatedChannel.Acceptance.accepts, BluetoothError.Kind.channelRefused),
            (128, .refuses, .channelRefused), (128, .ignores, .timedOut),
        ])
    func `A PSM that is not served, refused or ignored is a typed error`(
        psm: UInt16, acceptance: SimulatedChannel.Acceptance, kind: BluetoothError.Kind
    ) {
        let (stage, _, peripheral, link) = Stage.withChannels(SimulatedChannel(acceptance: acceptance))
        let opening = stage.record(peripheral.openL2CAPChannel(psm: psm))
        stage.advance(29_999)
        #expect(opening.isLive == (kind == .timedOut))
        stage.advance(100)
        #expect(opening.kind == kind)
        #expect(opening.error?.operation == .openChannel)
        #expect(opening.error?.target == "PSM \(psm) of \(Sensor.text)")
        #expect(opening.times.count == 1)
        #expect(link.isLive)
        stage.expectSettled()
    }

    @Test(.proves(.S114), arguments: [0, 256, 65_535] as [UInt16])
    func `An invalid PSM is refused before a socket is opened`(psm: UInt16) {
        let (stage, sockets, peripheral, link) = Stage.withChannels()
        #expect(stage.record(peripheral.openL2CAPChannel(psm: psm)).outcome(stage) == .invalidArgument)
        for mtu in [-1, 0, 22, 65_536] {
            let options = L2CAPChannelOptions(receiveMTU: mtu)
            #expect(
                stage.record(peripheral.openL2CAPChannel(psm: 128, options: options)).outcome(stage)
                    == .invalidArgument)
        }
        #expect(sockets.requests.isEmpty)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S114)) func `Without a connection or sockets, a channel fails at once`() {
        let (stage, sockets, peripheral, link) = Stage.withChannels()
        link.dispose()
        stage.advance(5_000)
        #expect(stage.record(peripheral.openL2CAPChannel(psm: 128)).outcome(stage) == .notConnected)
        #expect(sockets.requests.isEmpty)
        let (other, sensor) = Stage.withSensor()
        let connection = other.connect(sensor)
        let refused = other.record(sensor.openL2CAPChannel(psm: 128))
        #expect(refused.outcome(other) == .unsupported)
        #expect(refused.error?.advice?.contains("Configuration.channels") == true)
        withExtendedLifetime(connection) {}
    }

    @Test(.proves(.S114), arguments: [BluetoothError.Kind.unauthorized, .resourceExhausted, .unsupported])
    func `An error of the sockets keeps its kind and names the channel`(kind: BluetoothError.Kind) {
        let (stage, _, peripheral, link) = Stage.withChannels(failure: BluetoothError(kind))
        let opening = stage.record(peripheral.openL2CAPChannel(psm: 128))
        #expect(opening.outcome(stage) == kind)
        #expect(opening.error?.target == "PSM 128 of \(Sensor.text)")
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S114), arguments: [Duration.zero, .seconds(-1)])
    func `A deadline of zero or less has passed at once`(deadline: Duration) {
        var deadlines = Deadlines.prompt
        deadlines.openChannel = deadline
        let (stage, _, peripheral, link) = Stage.withChannels(deadlines: deadlines)
        #expect(stage.record(peripheral.openL2CAPChannel(psm: 128)).outcome(stage) == .timedOut)
        withExtendedLifetime(link) {}
    }

    // MARK: Data

    @Test(.proves(.S115)) func `Packets keep their boundaries and order in both directions`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels()
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let received = stage.record(channel.received)
        let packets = (1...200).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
        let sends = packets.map { stage.record(channel.send($0)) }
        stage.advance(200)
        #expect(sends.filter(\.isCompleted).count == packets.count)
        #expect(received.elements == packets)
        #expect(received.isLive && link.isLive)
    }

    @Test(.proves(.S115), .covers(.channels)) func `Ten megabytes come back from an echo without loss`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 2048))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let packets = (0..<4_883).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 2048) }
        let data = packets.reduce(into: [UInt8]()) { $0 += $1 }
        #expect(data.count > 10_000_000)
        let received = stage.record(channel.received)
        let sent = stage.record(channel.write(data))
        stage.advance(5_000)
        #expect(sent.isCompleted)
        let closed = stage.record(channel.close())
        stage.advance(3_000)
        #expect(closed.isCompleted && opening.isCompleted)
        let isComplete = received.elements == packets
        #expect(isComplete)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S115), arguments: [0, 501])
    func `A packet that is empty or too long is refused`(length: Int) throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 500))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let sent = stage.record(channel.send([UInt8](repeating: 0, count: length)))
        #expect(sent.outcome(stage) == .invalidArgument)
        #expect(sent.error?.operation == .sendData)
        #expect(stage.record(channel.send([UInt8](repeating: 0, count: 500))).outcome(stage) == nil)
        #expect(stage.record(channel.write([])).outcome(stage) == nil)
        #expect(opening.isLive && link.isLive)
    }

    @Test(.proves(.S115)) func `Packets wait for the first subscriber`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels()
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let sent = stage.record(channel.send([1]))
        stage.advance(100)
        let received = stage.record(channel.received)
        stage.advance(10)
        #expect(sent.isCompleted && received.elements == [[1]])
        received.dispose()
        let again = stage.record(channel.send([2]))
        stage.advance(100)
        let later = stage.record(channel.received)
        stage.advance(10)
        #expect(again.isCompleted && later.elements == [[2]])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S115)) func `A peripheral without credits delays sending, and loses nothing`() throws {
        // The peripheral answers each packet, and stops receiving while its answers are not taken.
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 2048))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let data = [UInt8](repeating: 7, count: 2048 * 500)
        let sent = stage.record(channel.write(data))
        stage.advance(10_000)
        #expect(sent.isLive)
        let received = stage.record(channel.received.map(\.count).scan(0, accumulator: +).takeLast(1))
        stage.advance(2_000)
        #expect(sent.isCompleted)
        let closed = stage.record(channel.close())
        stage.advance(3_000)
        #expect(closed.isCompleted && received.elements == [data.count])
        withExtendedLifetime(link) {}
    }

    // On a real bus, the peripheral receives at most 64 packets in one turn.
    @Test(.proves(.S115)) func `Each of 64 packets that arrive together is answered`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 100))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let received = stage.record(channel.received)
        stage.advance(1)
        let sent = stage.record(channel.write([UInt8](repeating: 7, count: 64 * 100)))
        stage.advance(200)
        #expect(sent.isCompleted && received.elements == Array(repeating: [UInt8](repeating: 7, count: 100), count: 64))
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S115)) func `Two subscribers receive the same packets`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels()
        let (opening, channel) = try stage.openChannel(peripheral, L2CAPChannelOptions(buffer: -3))
        defer { withExtendedLifetime(opening) {} }
        let first = stage.record(channel.received)
        let second = stage.record(channel.received)
        stage.advance(1)
        let sends = (1...20).map { stage.record(channel.send([UInt8($0)])) }
        stage.advance(200)
        #expect(first.elements == (1...20).map { [UInt8($0)] })
        #expect(second.elements == first.elements)
        withExtendedLifetime((link, sends)) {}
    }

    // MARK: The end

    @Test(.proves(.S117)) func `Disposing closes the channel, and everything that was sent still arrives`() throws {
        let taken = Guarded(0)
        let slow = SimulatedChannel(mtu: 1000) { packet in
            taken.withLock { $0 += packet.count }
            return []
        }
        let (stage, _, peripheral, link) = Stage.withChannels(slow)
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let received = stage.record(channel.received)
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 50_000)))
        stage.advance(0)
        opening.dispose()
        stage.advance(1_000)
        #expect(received.isCompleted)
        // A write that has not completed fails, and what the kernel had taken arrives.
        #expect(sent.isCompleted || sent.kind == .channelClosed)
        #expect(taken.withLock { $0 } > 0)
        if sent.isCompleted { #expect(taken.withLock { $0 } == 50_000) }
        #expect(stage.record(channel.send([1])).outcome(stage) == .channelClosed)
        #expect(stage.record(channel.received).outcome(stage) == .channelClosed)
        #expect(link.isLive)
        stage.expectSettled()
    }

    @Test(.proves(.S117)) func `Closing sends what waits, then completes all streams`() throws {
        let taken = Guarded(0)
        let (stage, _, peripheral, link) = Stage.withChannels(
            SimulatedChannel(mtu: 1000) { packet in
                taken.withLock { $0 += packet.count }
                return []
            })
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let received = stage.record(channel.received)
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 1_000_000)))
        stage.advance(0)
        let closed = stage.record(channel.close())
        stage.advance(0)
        #expect(stage.record(channel.send([1])).outcome(stage) == .channelClosed)
        stage.advance(2_000)
        #expect(sent.isCompleted && closed.isCompleted && received.isCompleted && opening.isCompleted)
        #expect(taken.withLock { $0 } == 1_000_000)
        let again = stage.record(channel.close())
        stage.advance(0)
        #expect(again.isCompleted && link.isLive)
    }

    @Test(.proves(.S117)) func `A peripheral that takes nothing delays closing for 2 s at most`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 2048))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 2048 * 500)))
        stage.advance(1_000)
        #expect(sent.isLive)
        opening.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_900)
        #expect(!settled.isCompleted)
        stage.advance(200)
        #expect(settled.isCompleted)
        #expect(sent.kind == .channelClosed)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S117)) func `Closing with packets that wait gives up 2 s after the last progress`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 2048))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 2048 * 1_000)))
        stage.advance(1_000)
        let closed = stage.record(channel.close())
        stage.advance(1_900)
        // A subscriber makes room for a part of the answers, so the peripheral takes some packets.
        let received = stage.record(channel.received.take(100))
        stage.advance(1_900)
        #expect(received.isCompleted && sent.isLive && closed.isLive && opening.isLive)
        stage.advance(200)
        #expect(closed.isCompleted && opening.isCompleted && link.isLive)
        #expect(sent.kind == .channelClosed)
        stage.expectSettled()
    }

    @Test(.proves(.S117)) func `A peripheral that closes in the middle ends the channel, and not the link`() throws {
        let channelThatCloses = SimulatedChannel(mtu: 100, closesAfter: 3) { [$0] }
        let (stage, _, peripheral, link) = Stage.withChannels(channelThatCloses)
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let received = stage.record(channel.received)
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 10_000_000)))
        stage.advance(1_000)
        #expect(received.elements.count == 3 && received.isCompleted)
        #expect(opening.isCompleted)
        #expect(sent.kind == .channelClosed)
        #expect(sent.error?.outcomeUnknown == false)
        #expect(link.isLive)
        // The PSM can be opened again.
        let (another, second) = try stage.openChannel(peripheral)
        #expect(second.mtu == 100 && another.isLive)
    }

    @Test(.proves(.S115)) func `Packets from before the end of the channel reach a later subscriber`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(SimulatedChannel(closesAfter: 3) { [$0] })
        let (opening, channel) = try stage.openChannel(peripheral)
        let sends = (1...4).map { stage.record(channel.send([$0])) }
        stage.advance(100)
        let late = stage.record(channel.send([9]))
        stage.advance(100)
        #expect(late.kind == .channelClosed && opening.isCompleted)
        let received = stage.record(channel.received)
        stage.advance(1)
        #expect(received.elements == [[1], [2], [3]] && received.isCompleted)
        #expect(stage.record(channel.received).outcome(stage) == .channelClosed)
        withExtendedLifetime((link, sends)) {}
    }

    @Test(.proves(.S59, .S117)) func `A lost link fails everything with one cause`() throws {
        let (stage, _, peripheral, link) = Stage.withChannels(.echo(mtu: 2048))
        let (opening, channel) = try stage.openChannel(peripheral)
        defer { withExtendedLifetime(opening) {} }
        let sent = stage.record(channel.write([UInt8](repeating: 1, count: 2048 * 500)))
        stage.advance(100)
        let pending = stage.record(peripheral.openL2CAPChannel(psm: 128))
        let received = stage.record(channel.received.ignoreElements().asObservable())
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        for kind in [link.kind, opening.kind, sent.kind, pending.kind, received.kind] {
            #expect(kind == .linkLost(.remote))
        }
        #expect(sent.error?.operation == .sendData && received.error?.operation == .receiveData)
        #expect(stage.record(channel.send([1])).outcome(stage) == .channelClosed)
        stage.expectSettled()
    }

    @Test(.proves(.S117)) func `Closing the connection or the manager ends the channel`() throws {
        for isClosing in [true, false] {
            let (stage, _, peripheral, link) = Stage.withChannels()
            let (opening, channel) = try stage.openChannel(peripheral)
            defer { withExtendedLifetime(opening) {} }
            let received = stage.record(channel.received)
            stage.advance(1)
            if isClosing { stage.record(stage.manager.close()).dispose() } else { link.dispose() }
            stage.advance(5_000)
            let kind: BluetoothError.Kind = isClosing ? .closed : .disconnected(.requested)
            #expect(opening.kind == kind && received.kind == kind)
        }
    }

    @Test(.proves(.S117)) func `Disposing while the channel opens closes the socket`() {
        let (stage, _, peripheral, link) = Stage.withChannels()
        let opening = stage.record(peripheral.openL2CAPChannel(psm: 128))
        stage.advance(5)
        opening.dispose()
        stage.advance(1_000)
        #expect(opening.elements.isEmpty && link.isLive)
        stage.expectSettled()
    }

    /// Runs in its own process, because other tests open and close descriptors at the same time.
    @Test(.proves(.S92, .S117)) func `A thousand channels leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            let (stage, _, peripheral, link) = Stage.withChannels()
            func cycle() throws {
                let (opening, channel) = try stage.openChannel(peripheral)
                defer { withExtendedLifetime(opening) {} }
                let received = stage.record(channel.received)
                let sent = stage.record(channel.send([1]))
                stage.advance(10)
                #expect(sent.isCompleted && received.elements == [[1]])
                opening.dispose()
                stage.advance(30)
            }
            try cycle()
            let before = OpenDescriptors.targets
            for _ in 0..<1_000 { try cycle() }
            let after = OpenDescriptors.targets
            #expect(after.count == before.count, "Before \(before); after \(after)")
            withExtendedLifetime(link) {}
        }
    }

    @Test(.proves(.Q117)) func `Errors of the kernel have typed kinds`() {
        let kinds: [(Int32, BluetoothError.Kind)] = [
            (ECONNREFUSED, .channelRefused), (ECONNRESET, .channelClosed), (EHOSTDOWN, .timedOut),
            (EHOSTUNREACH, .noAdapter), (EACCES, .unauthorized), (EAFNOSUPPORT, .unsupported),
            (EMFILE, .resourceExhausted), (EINVAL, .invalidArgument), (12_345, .channelRefused),
        ]
        for (code, kind) in kinds { #expect(KernelL2CAPSockets.error(code).kind == kind) }
        #expect(KernelL2CAPSockets.error(EADDRINUSE).kind == .registrationFailed("The PSM is in use"))
    }
}
