import RxBluetooth
import RxBluetoothMocks
import Testing

extension Stage {
    /// Makes a stage with L2CAP sockets and a connected sensor, which serves a channel on PSM 128.
    static func withChannels(
        _ channel: SimulatedChannel = .echo(), deadlines: Deadlines = .prompt, failure: BluetoothError? = nil
    ) -> (Stage, SimulatedL2CAP, Peripheral, Recording<Peripheral>) {
        let sockets = SimulatedL2CAP(failure: failure)
        let stage = Stage(
            Scenario(peripherals: [Sensor.peripheral, Sensor.other]), deadlines: deadlines, channels: sockets)
        sockets.use(stage.simulation)
        stage.simulation.bluez.serveChannel(channel, psm: 128, of: Sensor.text)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        stage.simulation.bluez.forgetCalls()
        return (stage, sockets, peripheral, link)
    }

    /// Opens a channel on PSM 128, and returns the recorded stream and the channel.
    func openChannel(
        _ peripheral: Peripheral, _ options: L2CAPChannelOptions = L2CAPChannelOptions()
    ) throws -> (Recording<L2CAPChannel>, L2CAPChannel) {
        let opening = record(peripheral.openL2CAPChannel(psm: 128, options: options))
        advance(50)
        return (opening, try #require(opening.elements.first))
    }
}
