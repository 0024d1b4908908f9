import Foundation
import Testing

extension ForeignClientTests {
    /// Tests with decoders of sensors from PyPI, such as TheengsDecoder and bthome-ble.
    struct SensorDecoderTests {
        @Test(
            .enabled(
                if: ClientPrograms.sensorDecoders != nil,
                "This test needs the decoders that make test-values-peers installs."))
        func `Other decoders agree with ble-cli on the devices of the showroom`() throws {
            let output = Pipe()
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("ValuePeers/showroom.py").path
            let decodeLines = URL(fileURLWithPath: ClientPrograms.bleCLI).deletingLastPathComponent()
                .appendingPathComponent("decode-lines").path
            let process = try ClientPrograms.process(
                [try #require(ClientPrograms.sensorDecoders), "-B", script, ClientPrograms.bleCLI, decodeLines],
                limit: 120, output: output)
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
            #expect(text.contains("0 disagreements"), "\(text)")
        }
    }
}
