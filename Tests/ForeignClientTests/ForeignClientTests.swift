import Testing

/// Unchanged programs of other projects that use `ble-cli simulate` as their bluetoothd.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ClientPrograms.python != nil, "These tests need other client programs: make test-clients."))
struct ForeignClientTests {}
