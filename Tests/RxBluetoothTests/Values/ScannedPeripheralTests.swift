import Rx
import RxBluetooth
import RxTest
import Testing

struct ScannedPeripheralTests {
    private let peripheral = Peripheral(address: "C0:FF:EE:00:00:07", name: "Cellar")

    @Test func `A value that a user makes has the defaults of an empty advertisement`() {
        let scanned = ScannedPeripheral(peripheral: peripheral)
        #expect(scanned.peripheral === peripheral && scanned.advertisementData == AdvertisementData())
        #expect(scanned.rssi == nil && !scanned.isCached)
        let data = AdvertisementData(txPowerLevel: 4, serviceData: [0x180F: [99]], serviceUUIDs: [0x180F])
        #expect(data.txPowerLevel == 4 && data.serviceData == [0x180F: [99]] && data.serviceUUIDs == [0x180F])
        #expect(data.localName == nil && data.manufacturerData.isEmpty && data.flags == nil)
        #expect(data.appearance == nil && data.isConnectable == nil)
    }

    @Test func `Every operation of a peripheral without a manager fails`() {
        let scheduler = TestScheduler(initialClock: 0)
        #expect(peripheral.description == "C0:FF:EE:00:00:07 “Cellar”" && peripheral.adapterName == nil)
        #expect(Recording(peripheral.connect(), scheduler).error?.kind == .closed)
        #expect(Recording(peripheral.connect(options: .reconnect()), scheduler).error?.kind == .closed)
        #expect(Recording(peripheral.discoverServices(), scheduler).error?.kind == .closed)
        #expect(Recording(peripheral.pair().asObservable(), scheduler).error?.kind == .closed)
        #expect(Recording(peripheral.readRSSI().asObservable(), scheduler).error?.kind == .closed)
        #expect(Recording(peripheral.connectionState, scheduler).error?.kind == .closed)
    }

    @Test func `The RSSI has one type in scan results, details, filters and readings of a link`() {
        let rssiOfResult: (ScannedPeripheral) -> Int? = { $0.rssi }
        let rssiOfDetails: (PeripheralDetails) -> Int? = { $0.rssi }
        let lowest: (ScanFilter) -> Int? = { $0.minimumRSSI }
        let read: Single<Int> = peripheral.readRSSI()
        _ = rssiOfDetails
        #expect(rssiOfResult(ScannedPeripheral(peripheral: peripheral)) == nil)
        #expect(lowest(ScanFilter(minimumRSSI: -70)) == -70)
        #expect(Recording(read.asObservable(), TestScheduler(initialClock: 0)).error?.kind == .closed)
    }
}
