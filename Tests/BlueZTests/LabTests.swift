import TestTraits
import Testing

/// All tests on the real bluetoothd. They share one adapter, so the tests run one after another.
@Suite(
    .serialized, .enabled(if: Lab.isRunning, "These tests need the lab: make test-bluez."), .failsOnDaemonCrash)
struct LabTests {}
