import BluetoothValues
import Testing

/// Commands of control points of audio, objects and basic services.
struct ServiceControlPointTests {
    @Test func `Commands of clocks, input devices, bonds and proxies have their bytes`() throws {
        #expect(try TimeUpdateControlPoint.getReferenceUpdate.encoded() == [0x01])
        #expect(try TimeUpdateControlPoint.cancelReferenceUpdate.encoded() == [0x02])
        #expect(try HIDControlPoint.suspend.encoded() == [0x00])
        #expect(try HIDControlPoint.exitSuspend.encoded() == [0x01])
        typealias Management = BondManagementControlPoint
        var codes: [UInt8] = []
        for bonds in Management.Bonds.allCases {
            for transport in Management.Transport.allCases {
                codes += try Management.delete(bonds, on: transport).encoded()
            }
        }
        #expect(codes == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(try Management.delete(.all, authorizationCode: Array("abc".utf8)).encoded() == [6, 0x61, 0x62, 0x63])
        typealias Proxy = HTTPControlPoint
        #expect(try Proxy.Method.allCases.flatMap { try Proxy.request($0).encoded() } == [1, 2, 3, 4, 5])
        let secure = try Proxy.Method.allCases.flatMap { try Proxy.request($0, isSecure: true).encoded() }
        #expect(secure == [6, 7, 8, 9, 10])
        #expect(try Proxy.cancelRequest.encoded() == [0x0B])
        #expect(try TransportDiscoveryControlPoint.activateTransport().encoded() == [0x01, 0x01])
        let transport = TransportDiscoveryControlPoint.activateTransport(organization: 2, parameters: [0xAB])
        #expect(try transport.encoded() == [0x01, 0x02, 0xAB])
    }

    @Test func `Commands of objects have their bytes`() throws {
        typealias Action = ObjectActionControlPoint
        #expect(try Action.create(size: 258, type: 0x2AC3).encoded() == [0x01, 0x02, 0x01, 0, 0, 0xC3, 0x2A])
        let own = try Action.create(size: 1, type: "00112233-4455-6677-8899-AABBCCDDEEFF").encoded()
        #expect(own.count == 21 && own[5] == 0xFF && own[20] == 0x00)
        #expect(try Action.delete.encoded() == [0x02])
        #expect(try Action.calculateChecksum(offset: 1, length: 2).encoded() == [0x03, 1, 0, 0, 0, 2, 0, 0, 0])
        #expect(try Action.execute.encoded() == [0x04])
        #expect(try Action.read(offset: 0, length: 512).encoded() == [0x05, 0, 0, 0, 0, 0, 2, 0, 0])
        #expect(try Action.write(offset: 3, length: 4).encoded() == [0x06, 3, 0, 0, 0, 4, 0, 0, 0, 0])
        #expect(
            try Action.write(offset: 0, length: 1, isTruncating: true).encoded() == [0x06, 0, 0, 0, 0, 1, 0, 0, 0, 2])
        #expect(try Action.abort.encoded() == [0x07])
        typealias List = ObjectListControlPoint
        #expect(try List.first.encoded() == [0x01])
        #expect(try List.last.encoded() == [0x02])
        #expect(try List.previous.encoded() == [0x03])
        #expect(try List.next.encoded() == [0x04])
        #expect(try List.go(to: 0x0000_0605_0403_0201).encoded() == [0x05, 1, 2, 3, 4, 5, 6])
        #expect(try List.sort(by: .modified).encoded() == [0x06, 0x05])
        #expect(try List.sort(by: .name, isDescending: true).encoded() == [0x06, 0x11])
        #expect(try List.requestNumberOfObjects.encoded() == [0x07])
        #expect(try List.clearMarking.encoded() == [0x08])
    }

    @Test func `Commands of volume and audio inputs have their bytes`() throws {
        typealias Volume = VolumeControlPoint
        #expect(try Volume.lower(counter: 9).encoded() == [0x00, 0x09])
        #expect(try Volume.raise(counter: 9).encoded() == [0x01, 0x09])
        #expect(try Volume.unmuteAndLower(counter: 9).encoded() == [0x02, 0x09])
        #expect(try Volume.unmuteAndRaise(counter: 9).encoded() == [0x03, 0x09])
        #expect(try Volume.setVolume(200, counter: 9).encoded() == [0x04, 0x09, 0xC8])
        #expect(try Volume.unmute(counter: 9).encoded() == [0x05, 0x09])
        #expect(try Volume.mute(counter: 9).encoded() == [0x06, 0x09])
        #expect(try VolumeOffsetControlPoint.setOffset(-2, counter: 1).encoded() == [0x01, 0x01, 0xFE, 0xFF])
        typealias Input = AudioInputControlPoint
        #expect(try Input.setGain(-3, counter: 1).encoded() == [0x01, 0x01, 0xFD])
        #expect(try Input.unmute(counter: 2).encoded() == [0x02, 0x02])
        #expect(try Input.mute(counter: 2).encoded() == [0x03, 0x02])
        #expect(try Input.setManualGainMode(counter: 2).encoded() == [0x04, 0x02])
        #expect(try Input.setAutomaticGainMode(counter: 2).encoded() == [0x05, 0x02])
    }

    @Test func `Commands of players, calls and hearing aids have their bytes`() throws {
        typealias Media = MediaControlPoint
        let simple: [Media] = [.play, .pause, .fastRewind, .fastForward, .stop]
        #expect(try simple.flatMap { try $0.encoded() } == [1, 2, 3, 4, 5])
        #expect(try Media.move(by: -1.5).encoded() == [0x10, 0x6A, 0xFF, 0xFF, 0xFF])
        #expect(try Media.previous(.segment).encoded() == [0x20])
        #expect(try Media.next(.track).encoded() == [0x31])
        #expect(try Media.first(.group).encoded() == [0x42])
        #expect(try Media.last(.track).encoded() == [0x33])
        #expect(try Media.go(to: .track, number: 258).encoded() == [0x34, 0x02, 0x01, 0, 0])
        typealias Call = CallControlPoint
        let calls: [Call] = [.accept(call: 7), .terminate(call: 7), .hold(call: 7), .retrieve(call: 7)]
        #expect(try calls.flatMap { try $0.encoded() } == [0, 7, 1, 7, 2, 7, 3, 7])
        #expect(try Call.originate("tel:1").encoded() == [0x04, 0x74, 0x65, 0x6C, 0x3A, 0x31])
        #expect(try Call.join(calls: [1, 2]).encoded() == [0x05, 0x01, 0x02])
        typealias Preset = HearingAidPresetControlPoint
        #expect(try Preset.readPresets().encoded() == [0x01, 0x01, 0xFF])
        #expect(try Preset.setName("TV", ofPreset: 3)?.encoded() == [0x04, 0x03, 0x54, 0x56])
        #expect(try Preset.activate(preset: 3).encoded() == [0x05, 0x03])
        #expect(try Preset.activateNext().encoded() == [0x06])
        #expect(try Preset.activatePrevious().encoded() == [0x07])
        #expect(try Preset.activate(preset: 3, isSynchronized: true).encoded() == [0x08, 0x03])
        #expect(try Preset.activateNext(isSynchronized: true).encoded() == [0x09])
        #expect(try Preset.activatePrevious(isSynchronized: true).encoded() == [0x0A])
    }

    @Test func `Numbers out of range are limited, and a wrong name of a preset is nil`() throws {
        #expect(try VolumeControlPoint.setVolume(300, counter: 0).encoded() == [0x04, 0x00, 0xFF])
        #expect(try VolumeOffsetControlPoint.setOffset(300, counter: 0).encoded() == [0x01, 0x00, 0xFF, 0x00])
        #expect(try VolumeOffsetControlPoint.setOffset(-300, counter: 0).encoded() == [0x01, 0x00, 0x01, 0xFF])
        #expect(try AudioInputControlPoint.setGain(-200, counter: 0).encoded() == [0x01, 0x00, 0x80])
        #expect(try MediaControlPoint.move(by: 1e12).encoded() == [0x10, 0xFF, 0xFF, 0xFF, 0x7F])
        #expect(try MediaControlPoint.move(by: .nan).encoded() == [0x10, 0, 0, 0, 0])
        #expect(try MediaControlPoint.go(to: .group, number: .min).encoded() == [0x44, 0, 0, 0, 0x80])
        #expect(try ObjectListControlPoint.go(to: .max).encoded() == [0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try ObjectActionControlPoint.read(offset: -1, length: 0).encoded() == [0x05, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(try HearingAidPresetControlPoint.readPresets(from: 2, count: 0).encoded() == [0x01, 0x02, 0x01])
        #expect(HearingAidPresetControlPoint.setName("", ofPreset: 1) == nil)
        #expect(HearingAidPresetControlPoint.setName(String(repeating: "é", count: 21), ofPreset: 1) == nil)
    }
}
