import RxBluetooth
import RxBluetoothMocks
import Testing

/// Sends data over a channel, and emits the answers. Disposing of the subscription closes the channel.
func exchange(_ data: [UInt8], with peripheral: Peripheral, psm: UInt16) -> Observable<[UInt8]> {
    let options = L2CAPChannelOptions(security: .encrypted, receiveMTU: 2_048, buffer: 128)
    return peripheral.openL2CAPChannel(psm: psm, options: options).flatMap { channel in
        print("PSM", channel.psm, "packets of up to", channel.mtu, "to", channel.peripheral.address)
        return Observable.merge(channel.received, channel.write(data).andThen(.never()))
    }
}

/// A short dialogue in a task: one packet there, one packet back.
func ask(_ question: [UInt8], over channel: L2CAPChannel) async throws -> [UInt8]? {
    try await channel.send(question).value
    for try await answer in channel.received.values { return answer }
    return nil
}

/// Lets devices open channels to this computer, and echoes what they send.
func serveEcho(with manager: BluetoothManager) -> Observable<Never> {
    manager.publishL2CAPChannel()
        .do(onNext: { print("devices can open channels on PSM", $0.psm) })
        .flatMap { $0.channels }
        .flatMap { channel in channel.received.concatMap { channel.send($0) } }
        .ignoreElements()
}

/// Sends what still waits, then closes. Disposing of the subscription closes at once.
func finish(_ channel: L2CAPChannel) -> Completable { channel.close() }

struct ChannelExampleTests {
    @Test func `Data is sent over a channel, and answered`() async throws {
        let sockets = SimulationSockets()
        let stage = ExampleStage(channels: sockets)
        sockets.use(stage.simulation)
        stage.simulation.bluez.serveChannel(.echo(), psm: 128, of: "C0:FF:EE:00:00:01")
        let strap = try stage.find()
        let answers = stage.scheduler.createObserver([UInt8].self)
        let subscription = strap.connect().flatMap { exchange([1, 2, 3], with: $0, psm: 128) }.subscribe(answers)
        stage.advance(3_000)
        #expect(answers.events.first?.value.element == [1, 2, 3])
        #expect(stage.lines.first?.hasPrefix("PSM 128 packets of up to 672 to C0") == true)
        subscription.dispose()
    }

    @Test func `A dialogue in a task ends with its answer`() async throws {
        let sockets = SimulationSockets()
        let stage = ExampleStage(channels: sockets)
        sockets.use(stage.simulation)
        stage.simulation.bluez.serveChannel(.echo(), psm: 129, of: "C0:FF:EE:00:00:01")
        let strap = try stage.find()
        let answer = try stage.run {
            try await strap.withConnection { strap in
                for try await channel in strap.openL2CAPChannel(psm: 129).values {
                    let answer = try await ask([9], over: channel)
                    try await finish(channel).value
                    return answer
                }
                return nil
            }
        }
        #expect(answer == [9])
    }

    @Test func `A PSM is published`() {
        let sockets = SimulationSockets()
        let stage = ExampleStage(channels: sockets)
        sockets.use(stage.simulation)
        let echo = serveEcho(with: stage.manager).subscribe()
        stage.advance(100)
        #expect(stage.lines == ["devices can open channels on PSM 128"])
        echo.dispose()
    }
}
