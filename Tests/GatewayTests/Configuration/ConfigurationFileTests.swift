import Foundation
import Gateway
import Testing

struct ConfigurationFileTests {
    private let files: SecretFiles

    init() throws { files = try SecretFiles() }

    private func mistakes(_ path: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try GatewayConfiguration(file: path)
            return []
        } catch {
            return error.mistakes.map(\.description)
        }
    }

    @Test(arguments: [0o600, 0o400, 0o640, 0o440])
    func `Files with secrets may be readable for their owner and group`(_ mode: Int) throws {
        try files.write("password", "hunter2\n", mode: mode)
        let path = try files.write("c.yaml", "broker: { user: me, password-file: password }", mode: 0o644)
        #expect(try GatewayConfiguration(file: path).broker.password == Secret("hunter2"))
    }

    @Test(arguments: [0o644, 0o604, 0o620, 0o660, 0o666, 0o755, 0o602])
    func `Files with secrets that others may access are refused`(_ mode: Int) throws {
        for file in ["password", "key", "client"] {
            try files.write(file, "00112233445566778899aabbccddeeff", mode: mode)
        }
        try files.write("certificate", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
        let text = """
            broker:
              user: me
              password-file: password
              tls:
                certificate: certificate
                key: client
            devices:
              - address: A4:C1:38:00:00:01
                key-file: key
            """
        let mistakes = mistakes(try files.write("c.yaml", text, mode: 0o644))
        let octal = "0" + String(mode, radix: 8)
        #expect(
            mistakes
                == [("password", 3), ("client", 6), ("key", 9)].map {
                    "line \($0.1): other users may access \(files.path)/\($0.0) (mode \(octal)); run chmod 600 on it"
                })
    }

    @Test func `A link to a private file is accepted`() throws {
        let target = try files.write("target", "hunter2", mode: 0o600)
        try FileManager.default.createSymbolicLink(atPath: files.path + "/password", withDestinationPath: target)
        let path = try files.write("c.yaml", "broker: { user: me, password-file: password }", mode: 0o644)
        #expect(mistakes(path).isEmpty)
    }

    @Test(arguments: [
        ("/var/lib/x", "/var/lib/x/store.sqlite"), ("/var/lib/x:/var/lib/y", "/var/lib/x/store.sqlite"),
    ])
    func `A relative store is in the first state folder of a service`(folders: String, expected: String) throws {
        let file = try files.write("c.yaml", "store: { path: store.sqlite }", mode: 0o600)
        #expect(try GatewayConfiguration(file: file, stateFolders: folders).store.path == expected)
    }

    @Test(arguments: [nil, ""])
    func `A relative store without a state folder is next to the configuration`(folders: String?) throws {
        let file = try files.write("c.yaml", "store: { path: store.sqlite }", mode: 0o600)
        #expect(try GatewayConfiguration(file: file, stateFolders: folders).store.path == files.path + "/store.sqlite")
    }

    @Test func `A device or pipe in the place of a file is refused`() throws {
        try FileManager.default.createSymbolicLink(atPath: files.path + "/device", withDestinationPath: "/dev/null")
        let text = """
            broker:
              password-file: device
              tls: { authorities: device }
            devices:
              - address: A4:C1:38:00:00:01
                key-file: device
            """
        let found = mistakes(try files.write("c.yaml", text, mode: 0o600)).filter { $0.contains("device") }
        let problem = "\(files.path)/device is a pipe, a socket or a device; name a file"
        #expect(found == [2, 3, 6].map { "line \($0): \(problem)" })
    }

    @Test func `A pipe in the place of the store is refused with its line`() throws {
        let path = files.path + "/store"
        #expect(try MosquittoProcess.run("/usr/bin/mkfifo", [path]) == 0)
        let text = "broker: { host: localhost }\nstore:\n  path: store\n"
        #expect(
            mistakes(try files.write("c.yaml", text, mode: 0o600)) == [
                "line 3: \(path) is a pipe, a socket or a device; name a file"
            ])
    }

    @Test func `A pipe in the place of the configuration is refused`() throws {
        let path = files.path + "/c.yaml"
        #expect(try MosquittoProcess.run("/usr/bin/mkfifo", [path]) == 0)
        #expect(mistakes(path) == ["\(path) is a pipe, a socket or a device; name a file"])
        try FileManager.default.createSymbolicLink(atPath: files.path + "/link", withDestinationPath: "c.yaml")
        #expect(mistakes(files.path + "/link").count == 1)
        #expect(mistakes("/dev/null").count == 1)
    }

    @Test func `The pipe of a shell can be the configuration`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Array("name: [\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(
            mistakes("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") == [
                "line 2: did not find expected node content; write valid YAML; check the indentation and quotes"
            ])
    }

    @Test(arguments: ["c.yaml", "password", "link", "key"])
    func `A store in the place of another file is refused`(name: String) throws {
        try files.write("password", "hunter2\n", mode: 0o600)
        try files.write("key", "00112233445566778899aabbccddeeff", mode: 0o600)
        try FileManager.default.createSymbolicLink(atPath: files.path + "/link", withDestinationPath: "password")
        let text = """
            store: { path: \(name) }
            broker: { user: me, password-file: password }
            devices: [{ address: "A4:C1:38:00:00:01", key-file: key }]
            """
        let path = try files.write("c.yaml", text, mode: 0o600)
        #expect(
            mistakes(path) == [
                "line 1: store.path is \(files.path)/\(name), which the gateway reads as another file; "
                    + "name a file of its own"
            ])
    }

    @Test func `A store in a folder that does not exist is refused`() throws {
        let path = try files.write("c.yaml", "store: { path: no/store.sqlite }", mode: 0o600)
        #expect(
            mistakes(path) == [
                "line 1: there is no folder \(files.path)/no; create it, or change store.path"
            ])
        try files.write("c.yaml", "store: { path: . }", mode: 0o600)
        #expect(mistakes(path) == ["line 1: \(files.path)/. is a folder; name a file"])
    }

    @Test(arguments: ["key", "identity-key"])
    func `A file with keys of devices must be private`(key: String) throws {
        let text = "devices: [{ address: \"A4:C1:38:00:00:01\", \(key): 00112233445566778899aabbccddeeff }]"
        let path = try files.write("c.yaml", text, mode: 0o644)
        #expect(
            mistakes(path) == [
                "line 1: devices[1].\(key) is secret, but other users may access \(path) (mode 0644); "
                    + "run chmod 600 on it, or use devices[1].\(key)-file"
            ])
        try files.write("c.yaml", text, mode: 0o600)
        #expect(mistakes(path).isEmpty)
    }

    @Test(arguments: [
        ("", "has 0 lines"), ("\n\n", "has 0 lines"), ("hunter2\nhunter2\n", "has 2 lines"),
        ("hunter2\u{0}\u{1}", nil), ("\r\nhunter2\r\n", nil),
    ])
    func `A file with a password has one line`(_ text: String, _ problem: String?) throws {
        try files.write("password", text, mode: 0o600)
        let path = try files.write("c.yaml", "broker: { user: me, password-file: password }", mode: 0o644)
        let mistakes = mistakes(path)
        #expect(mistakes.count == (problem == nil ? 0 : 1))
        if let problem { #expect(mistakes.first?.contains(problem) == true) }
        #expect(!mistakes.joined().contains("hunter2"))
    }

    @Test func `Missing and unreadable files are reported with their paths`() throws {
        #expect(mistakes(files.path + "/none.yaml") == ["there is no file \(files.path)/none.yaml; check the path"])
        #expect(mistakes(files.path).count == 1)
        let text = "broker:\n  password-file: none\n  tls: { authorities: . }\n"
        let path = try files.write("c.yaml", text, mode: 0o644)
        #expect(
            mistakes(path) == [
                "line 2: there is no file \(files.path)/none; check the path of broker.password-file",
                "line 2: broker has a password but no user; add user or user-file",
                "line 3: \(files.path)/. is a folder; name a file",
            ])
    }

    @Test func `A key file without a key is refused without its content`() throws {
        try files.write("key", "hunter2", mode: 0o600)
        let text = "devices: [{ address: \"A4:C1:38:00:00:01\", key-file: key }]"
        let mistakes = mistakes(try files.write("c.yaml", text, mode: 0o644))
        #expect(mistakes.count == 1 && mistakes[0].contains("has no valid key") && !mistakes[0].contains("hunter2"))
    }

    @Test func `A file that is not text or too large is refused`() throws {
        let problem = "the file is not UTF-8 or larger than 4 MiB; save it as UTF-8"
        try Data([0xFF, 0xFE, 0]).write(to: URL(filePath: files.path + "/c.yaml"))
        #expect(mistakes(files.path + "/c.yaml") == [problem])
        let path = try files.write("d.yaml", String(repeating: "#\n", count: 2_200_000), mode: 0o644)
        #expect(mistakes(path) == [problem])
    }
}
