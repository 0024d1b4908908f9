// Measures how fast the simulated bluetoothd runs.

// Table: usage
//
//     simbench              ten simulated minutes of 100 peripherals at 10 Hz and a connected sensor, twice, and with
//                           another seed; fails if every run takes 6 s or longer, or if the events do not repeat
//     simbench SECONDS      a number of simulated seconds, without a limit
//     simbench crowd        memory per device; then 1,000 advertising and 20 connected peripherals for ten simulated
//                           seconds, with a client that counts signals, and with RxBluetooth as the client

import RxBluetoothMocks

@main
enum Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments == ["crowd"] { return crowd() }
        let seconds = arguments.first.map { Int($0) ?? 0 } ?? 600
        guard arguments.count < 2, seconds > 0 else {
            return print("Usage: simbench [crowd | SECONDS], where SECONDS is a positive whole number.")
        }
        let first = measure(seed: 1, seconds)
        let second = measure(seed: 1, seconds)
        let other = measure(seed: 2, seconds)
        precondition(first.hash == second.hash, "Two runs with the same seed have different events.")
        precondition(first.hash != other.hash, "Runs with different seeds have the same events.")
        guard arguments.isEmpty else { return }
        precondition(first.signals > 595_000, "Advertisements are missing.")
        precondition(min(first.time, second.time, other.time) < .seconds(6), "Every run takes 6 s or longer.")
    }

    private static func measure(seed: UInt64, _ seconds: Int) -> Outcome {
        let outcome = SignalClient(.crowd(advertising: 100, connected: 1, seed: seed), connecting: 1).run(seconds)
        print("seed \(seed): \(outcome)")
        return outcome
    }

    private static func crowd() {
        print("memory: \(DeviceMemory.ofDevices(10_000))")
        print("crowd: \(SignalClient(.crowd(advertising: 1_000, connected: 20, seed: 1), connecting: 20).run(10))")
        let outcome = RxBluetoothClient.run(.crowd(advertising: 1_000, connected: 20, seed: 1), sensors: 20)
        print("crowd, RxBluetooth: \(outcome)")
    }
}
