import RxBluetooth

func heartRate(_ bytes: [UInt8]) throws -> Int { bytes.count }

func missingTry(characteristic: Characteristic) -> Observable<Int> {
    characteristic.observeValueUpdates()
        // error: call can throw, but it is not marked with 'try'
        .map { heartRate($0) }
}
