import TestTraits
import Testing

@testable import RxBluetooth

/// Versions of BlueZ, and the table of their known problems.
struct BlueZVersionTests {
    @Test(arguments: [
        ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v1D6Bp0246d0557", "5.87"),
        ("usb:v1D6Bp0246d0532", "5.50"), ("usb:v1D6Bp0246d05ff", "5.255"), ("usb:v1D6Bp0246d0601", "6.1"),
    ])
    func `A modalias of BlueZ contains its version in hexadecimal`(modalias: String, version: String) {
        #expect(BlueZVersion(modalias: modalias)?.description == version)
    }

    @Test(arguments: [
        "", "usb:v1D6Bp0246d", "usb:v1D6Bp0246d55", "usb:v1D6Bp0246d05520", "usb:v1D6Bp0246d05G2",
        "usb:v1D6Bp0246d+552", "usb:v1D6Bp0246d0000", "usb:v1D6Bp0246d0052", "usb:v05ACp0246d0552",
        "bluetooth:v1D6Bp0246d0552", "usb:v1D6Bp0247d0552", "usb:v1D6Bp0246d٠٥٥٢",
    ])
    func `Another modalias contains no version`(modalias: String) {
        #expect(BlueZVersion(modalias: modalias) == nil)
    }

    @Test func `Versions compare by their numbers`() {
        let sorted = [BlueZVersion(5, 9), BlueZVersion(5, 66), BlueZVersion(5, 82), BlueZVersion(6, 0)]
        #expect(sorted.shuffled().sorted() == sorted)
    }

    @Test func `Adapters that report different versions have no common one`() {
        let records = ["usb:v1D6Bp0246d0552", "usb:v1D6Bp0246d0557", nil].enumerated().map { number, modalias in
            var record = AdapterRecord(number: UInt16(number))
            record.modalias = modalias
            return record
        }
        #expect(BlueZVersion.common(of: records) == nil)
        #expect(BlueZVersion.common(of: [records[0], records[2]]) == BlueZVersion(5, 82))
        #expect(BlueZVersion.common(of: [records[2]]) == nil)
    }

    // MARK: Known problems

    private func names(_ major: Int, _ minor: Int) -> [KnownProblem.Name] {
        KnownProblem.of(BlueZVersion(major, minor)).map(\.name)
    }

    @Test func `Each version has its known problems`() {
        #expect(names(5, 66) == [.socketStartCrash])
        #expect(names(5, 82) == [.operationLostWithPairing, .socketStartCrash, .monitorCrash])
        #expect(names(5, 86) == [.operationLostWithPairing])
        #expect(
            names(5, 87) == [
                .serviceFilterCrash, .operationLostWithPairing, .notifyStartCrash, .pairingKept, .removalCrash,
            ])
        #expect(names(5, 45) == [])
    }

    @Test func `A version from the future has the problems of the newest known one`() {
        #expect(names(5, 99) == names(5, 87))
        #expect(names(7, 1) == names(5, 87))
    }

    @Test func `An unknown version may have each problem, but none is listed`() {
        #expect(KnownProblem.of(nil).isEmpty)
        for name in KnownProblem.Name.allCases { #expect(KnownProblem.mayAffect(nil, name)) }
        #expect(!KnownProblem.mayAffect(BlueZVersion(5, 82), .serviceFilterCrash))
    }

    @Test func `The texts of known problems say what may happen, and what to do`() {
        for problem in KnownProblem.all {
            #expect(problem.text.hasPrefix("may "), "\(problem.name)")
            #expect(!problem.text.hasSuffix(".") && problem.advice.hasSuffix("."), "\(problem.name)")
        }
        #expect(Set(KnownProblem.all.map(\.name)) == Set(KnownProblem.Name.allCases))
    }
}
