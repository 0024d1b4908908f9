import BusTesting
import Rx
import RxBluetoothMocks
import SoakTesting

extension Stage {
    /// What is held now. Work that was taken back does not count, but the clock keeps its objects until its time has come.
    func footprint() -> Footprint {
        let bus = simulation.bus
        return Footprint(
            matchRules: (bus as? VirtualTimeBus)?.matchRules ?? (bus as? LoopbackBus)?.matchRules ?? 0,
            timers: scheduler.debugDescription.split { !$0.isNumber }.count)
    }
}
