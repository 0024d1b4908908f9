import RxBluetoothMocks

/// Reads the L2CAP channels of a peripheral.
extension ScenarioNode {
    /// What a peripheral does with the packets of a channel.
    private enum Answer: String, CaseIterable {
        case echo, nothing, refusal
    }

    func addChannel(to peripheral: inout SimulatedPeripheral) throws(ScenarioFileError) {
        let parts = try parts("psm", "mtu", "delay", "answer")
        let psm = UInt16(try required("psm", in: parts).number(1...0xFF))
        guard peripheral.channels[psm] == nil else { throw error("duplicate PSM \(psm)", "each PSM once") }
        var channel = SimulatedChannel.echo()
        if let part = parts["mtu"] { channel.mtu = try part.number(23...65_535) }
        if let part = parts["delay"] { channel.delay = try part.time() }
        switch try parts["answer"].or(Answer.echo, { e throws(ScenarioFileError) in try e.choice(Answer.self) }) {
        case .echo: break
        case .nothing: channel.answer = { _ in [] }
        case .refusal: channel.acceptance = .refuses
        }
        peripheral.channels[psm] = channel
    }
}
