import BluetoothValues

extension SensorReading {
    /// Whether a reading has values of the same kinds. Many devices send their quantities in turn.
    func hasSameKinds(as other: SensorReading) -> Bool {
        format == other.format
            && measurements.elementsEqual(other.measurements) { $0.quantity == $1.quantity }
            && states.elementsEqual(other.states) { $0.kind == $1.kind }
            && identifiers.elementsEqual(other.identifiers) { $0.kind == $1.kind }
    }
}
