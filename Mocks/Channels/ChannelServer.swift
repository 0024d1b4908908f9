import DBus
import Rx

/// Opens the L2CAP channels of programs in other processes.
final class ChannelServer: Sendable {
    private let bus: any Bus
    private let bluez: SimulatedBlueZ
    private let accepting = Guarded<BusTask?>(nil)

    /// Starts to listen. Nothing happens if another process already serves the channels of this bus.
    ///
    /// - Parameters:
    ///   - bus: The bus that watches the sockets.
    ///   - address: The address of the bus.
    init(_ bluez: SimulatedBlueZ, on bus: any Bus, at address: String) {
        self.bus = bus
        self.bluez = bluez
        guard let listener = ServedChannels.listen(on: address) else { return }
        // In the bus's context, so that the task is stored before the first event.
        bus.perform { [weak self] in self?.watch(listener) }
    }

    /// Stops to listen. Open channels end with the simulation.
    deinit { accepting.withLock { $0?.cancel() } }

    /// How long to wait for a free descriptor before programs are accepted again.
    private static let pause = Duration.milliseconds(100)

    private func watch(_ listener: SharedSocket) {
        let task = bus.watch(listener, for: .readable) { [weak self] in self?.acceptWaiting(on: listener) }
        accepting.withLock { $0 = task }
    }

    private func acceptWaiting(on listener: SharedSocket) {
        do throws(ServedChannels.Failure) {
            while let program = try ServedChannels.accept(from: listener) { receiveRequest(from: program) }
        } catch {
            // Without a descriptor, the listener stays readable, and its watch would run all the time.
            let later = bus.schedule(after: Self.pause) { [weak self] in self?.watch(listener) }
            accepting.withLock { accepting in
                accepting?.cancel()
                accepting = later
            }
        }
    }

    /// A program sends its request directly after it has connected.
    private func receiveRequest(from program: SharedSocket) {
        let waiting = Guarded<BusTask?>(nil)
        // Both run on the bus's thread, so the task is stored before the first event.
        let task = bus.watch(program, for: .readable) { [bluez] in
            // A watch may report a socket that is not ready. The request would be lost.
            guard program.isReady(for: .readable) else { return }
            waiting.withLock { task in
                task?.cancel()
                task = nil
            }
            guard let packet = program.socket.peek(upTo: ServedChannels.Request.longest),
                let request = ServedChannels.Request(packet: packet)
            else { return }
            bluez.openChannel(program, to: request.address, psm: request.psm) { state in
                program.socket.send(state.packet)
            }
        }
        waiting.withLock { $0 = task }
    }
}
