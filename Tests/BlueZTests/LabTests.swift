import Testing

/// Everything that runs against the real bluetoothd, one test after the other: they share one adapter.
@Suite(.serialized, .enabled(if: Ground.isLab, "These tests need the lab: make test-bluez."))
struct LabTests {}
