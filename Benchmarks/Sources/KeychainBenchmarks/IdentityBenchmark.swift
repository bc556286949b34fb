// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire

/// The cost of identifying the calling application: copies of this program, one of them signed, and
/// a signed program of 100 MB whose digest no other client should have to wait for.
enum IdentityBenchmark {
    private static let turns = 10
    private static let connectionsPerTurn = 200
    private static let requestsPerTurn = 2000
    private static let largePrograms = 5

    // MARK: - The client's side

    /// Makes connections, then requests on one; prints how long each took, in ns, one per line.
    static func client() throws {
        var lines: [String] = []
        for _ in 0..<connectionsPerTurn {
            let keychain = KeychainConnection()
            let start = nanoseconds()
            _ = try keychain.callerIdentity()
            lines.append("c \(nanoseconds() - start)")
        }
        let keychain = KeychainConnection()
        _ = try keychain.callerIdentity()
        for _ in 0..<requestsPerTurn {
            let start = nanoseconds()
            _ = try keychain.callerIdentity()
            lines.append("r \(nanoseconds() - start)")
        }
        print(lines.joined(separator: "\n"))
    }

    // MARK: - The table

    private struct Figures {
        var connections: [Double] = []
        var requests: [Double] = []

        mutating func add(_ output: String) {
            for line in output.split(separator: "\n") {
                guard let number = Double(line.dropFirst(2)) else { abort() }
                if line.hasPrefix("c") { connections.append(number / 1000) }
                if line.hasPrefix("r") { requests.append(number / 1000) }
            }
        }
    }

    static func run(_ keychain: KeychainConnection) throws {
        let workshop = try Workshop()
        defer { workshop.remove() }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let unsigned = try workshop.copy(own, "unsigned")
        let signed = try workshop.copy(own, "signed")
        try workshop.sign(signed)
        // The service caches a digest only if the file wasn't changed in the last two seconds.
        sleep(3)
        _ = try workshop.output(signed, "identity-client")
        let grades = try [unsigned, signed].map { try workshop.output($0, "identity-grade") }
        guard grades == ["U\n", "S\n"] else {
            FileHandle.standardError.write(Data("unexpected grades: \(grades)\n".utf8))
            exit(1)
        }
        var plain = Figures()
        var known = Figures()
        // Alternates the two, so that other load on the machine affects both.
        for _ in 0..<turns {
            plain.add(try workshop.output(unsigned, "identity-client"))
            known.add(try workshop.output(signed, "identity-client"))
        }
        let hop = PingPong.measured(hops: 1, byteCount: 128, count: 5000).p50
        let (plainFirst, signedFirst) = (Samples(plain.connections), Samples(known.connections))
        let (plainNext, signedNext) = (Samples(plain.requests), Samples(known.requests))
        print("| µs | p50 | p99 |\n|---|---:|---:|")
        row("connect and first answer, unsigned program", plainFirst)
        row("connect and first answer, signed program", signedFirst)
        row("further answer, unsigned program", plainNext)
        row("further answer, signed program", signedNext)
        // A request, the identity proof, and the request again.
        print(
            String(
                format: "\nper connection at most %.0f µs for inspection and signature (goal 200): "
                    + "all but three round trips of %.1f µs", signedFirst.p50 - 3 * hop, hop))
        print(
            String(
                format: "per request %.2f µs more for a signed program (goal 3)",
                signedNext.p50 - plainNext.p50))
        try large(workshop, keychain)
    }

    private static func row(_ name: String, _ samples: Samples) {
        print(String(format: "| %@ | %.1f | %.1f |", name, samples.p50, samples.p99))
    }

    /// Requests of one connection while the service computes a large program's first digest,
    /// compared with the same requests without it.
    private static func large(_ workshop: Workshop, _ keychain: KeychainConnection) throws {
        let program = try workshop.largeProgram()
        try workshop.sign(program)
        let quiet = try measure(2000) { _ in _ = try keychain.callerIdentity() }
        var during: [Double] = []
        var digests: [Double] = []
        for number in 0..<largePrograms {
            // A different file each time, so that its digest isn't cached yet.
            let copy = try workshop.copy(program, "large-\(number)")
            let process = try workshop.start(copy)
            guard try process.readLine() == "connected" else { abort() }
            let start = nanoseconds()
            while !process.hasMore {
                let request = nanoseconds()
                _ = try keychain.callerIdentity()
                during.append(Double(nanoseconds() - request) / 1000)
            }
            digests.append(Double(nanoseconds() - start) / 1_000_000)
            process.end()
        }
        let busy = Samples(during)
        print("\n| another program's request, µs | p50 | p99 |\n|---|---:|---:|")
        row("nothing else", quiet)
        row("while a program of 100 MB connects for the first time", busy)
        print(
            String(
                format: "\nthe digest of 100 MB: %.0f ms; %d requests were answered before it",
                Samples(digests).p50, during.count))
    }
}

/// The benchmark's own programs, a team, and a signing certificate.
private struct Workshop {
    private let directory: String
    private let binaries: String
    private let team: String

    struct Failure: Error { let text: String }

    init() throws {
        let tool = ProcessInfo.processInfo.environment["LLAVERO_SECURITY_TOOL"] ?? ""
        binaries = (tool as NSString).deletingLastPathComponent
        directory = NSTemporaryDirectory() + "/llbench-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let keys = ["--directory", directory + "/keys"]
        team = try Self.run(binaries + "/llavero-developer", ["create-team"] + keys + ["Bench"])
            .trimmingCharacters(in: .newlines)
        _ = try Self.run(binaries + "/llavero-developer", ["issue"] + keys + ["Build"])
        _ = try Self.run(binaries + "/llavero-developer", ["trust"] + keys + [team])
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    func copy(_ path: String, _ name: String) throws -> String {
        try FileManager.default.copyItem(atPath: path, toPath: directory + "/" + name)
        return directory + "/" + name
    }

    func sign(_ path: String) throws {
        _ = try Self.run(
            binaries + "/llavero-codesign",
            ["--directory", directory + "/keys", "-s", team, "-i", "org.example.bench", path])
    }

    func output(_ path: String, _ word: String) throws -> String { try Self.run(path, [word]) }

    func start(_ path: String) throws -> Talker {
        try Talker(path, [ProcessInfo.processInfo.environment["LLAVERO_SOCKET"] ?? ""])
    }

    /// A program with 100 MB of data, which connects, asks for its identity, and waits.
    func largeProgram() throws -> String {
        let source = """
            #include <stdio.h>
            #include <string.h>
            #include <unistd.h>
            #include <sys/socket.h>
            #include <sys/un.h>
            __attribute__((used)) const char data[100 << 20] = {1};
            int main(int count, char **words) {
                struct sockaddr_un name = {.sun_family = AF_UNIX};
                strncpy(name.sun_path, words[count - 1], sizeof name.sun_path - 1);
                int s = socket(AF_UNIX, SOCK_STREAM, 0);
                if (connect(s, (struct sockaddr *)&name, sizeof name)) return 1;
                /* An identity request: no message, no secret, version 1, kind 16, sequence 1. */
                unsigned char frame[16] = {[8] = 1, [10] = 16, [12] = 1}, reply[4096];
                if (write(s, frame, 16) != 16) return 1;
                puts("connected");
                fflush(stdout);
                if (read(s, reply, sizeof reply) < 16) return 1;
                puts("answered");
                fflush(stdout);
                read(0, reply, 1);
                return 0;
            }
            """
        let file = directory + "/large.c"
        try Data(source.utf8).write(to: URL(fileURLWithPath: file))
        _ = try Self.run("/usr/bin/env", ["clang", "-o", directory + "/large", file])
        return directory + "/large"
    }

    private static func run(_ path: String, _ words: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = words
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "\(path): status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A program that prints line by line.
private final class Talker {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    init(_ path: String, _ words: [String]) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = words
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    /// Whether it has printed something that wasn't read yet, or has ended.
    var hasMore: Bool {
        var entry = pollfd(
            fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    func readLine() throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != 10 {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
