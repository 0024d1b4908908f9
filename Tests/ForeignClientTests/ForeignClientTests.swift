import Testing

/// Unchanged programs of other projects as clients of `ble-cli simulate`.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ClientPrograms.python != nil, "These tests need other client programs: make test-clients."))
struct ForeignClientTests {}
