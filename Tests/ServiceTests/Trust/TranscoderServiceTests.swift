// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import Synchronization
import TestSupport
import Testing
import TranscodingWire

/// transcoder as a process: when it runs, what it may do, and what its end means.
@Suite(.serialized) struct TranscoderServiceTests {
    private func secret(_ bytes: some Sequence<UInt8>) -> Secret {
        let bytes = Array(bytes)
        return unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    private func sample(_ name: String) throws -> Data {
        try Data(
            contentsOf: URL(
                fileURLWithPath: Binaries.packageRoot + "/Tests/Vectors/imports/" + name))
    }

    private func reading(_ data: some Sequence<UInt8>, _ passphrase: String? = nil)
        -> TranscodingRequest
    {
        .read(
            TranscodingRequest.Reading(
                secret(data), passphrase: passphrase.map { secret($0.utf8) }))
    }

    private func objectCount(_ service: TestService, _ request: TranscodingRequest) throws -> Int {
        guard case .objects(let objects, _, isText: _) = try service.keychain.transcode(request)
        else { return -1 }
        return objects.count
    }

    private func failure(
        _ service: TestService, _ request: TranscodingRequest
    ) throws -> TranscodingFailure? {
        guard case .failed(let failure) = try service.keychain.transcode(request) else {
            return nil
        }
        return failure
    }

    /// A file that keeps a transcoder busy for some time.
    private func slowRequest() throws -> TranscodingRequest {
        var writing = TranscodingRequest.Writing(
            [TranscodedObject(.certificate, bytes: secret(try sample("certificate.der")))],
            format: .pkcs12, passphrase: secret("secret".utf8))
        writing.rounds = 10_000_000
        return .write(writing)
    }

    @Test func noneRunsBeforeARequestNorAfterIt() throws {
        try TestService.run { service in
            #expect(try service.helpers("transcoder") == [])
            let request = reading(try sample("openssl-aes.p12"), "secret")
            for _ in 0..<3 {
                #expect(try objectCount(service, request) == 2)
                try Waiting.until("transcoder to end") {
                    try service.helpers("transcoder").isEmpty
                }
            }
            #expect(
                try failure(service, reading(try sample("openssl-aes.p12"))) == .passphraseNeeded)
            #expect(try failure(service, reading([1, 2])) == .unknownFormat)
        }
    }

    /// Asks on another thread, with a connection of its own.
    private func ask(_ service: TestService, _ request: TranscodingRequest) -> Asked {
        let asked = Asked()
        let connection = KeychainConnection(
            location: ServiceLocation(socketPath: service.socketPath))
        let thread = Thread {
            do throws(KeychainError) {
                _ = try connection.transcode(request)
                asked.put(nil)
            } catch { asked.put(error) }
        }
        thread.start()
        return asked
    }

    /// How a request ended.
    private final class Asked: Sendable {
        private let end = Mutex<KeychainError??>(nil)

        func put(_ error: KeychainError?) { end.withLock { $0 = .some(error) } }

        /// The error of a request that has ended; nil before.
        var error: KeychainError?? { end.withLock { $0 } }
    }

    @Test func aTranscoderThatIsKilledGivesNothing() throws {
        try TestService.run { service in
            let asked = ask(service, try slowRequest())
            let running = try Waiting.value("a transcoder") {
                try service.helpers("transcoder").first
            }
            kill(running, SIGKILL)
            let error = try Waiting.value("the request to end") { asked.error }
            #expect(error?.status == -25291)
            #expect(error?.reason == .unreachable)
            #expect(try objectCount(service, reading(try sample("certificate.der"))) == 1)
        }
    }

    @Test func transcoderIsConfined() throws {
        try TestService.run { service in
            let asked = ask(service, try slowRequest())
            let running = try Waiting.value("a confined transcoder") { () -> Int32? in
                guard let running = try service.helpers("transcoder").first,
                    let status = try? String(
                        contentsOfFile: "/proc/\(running)/status", encoding: .utf8),
                    status.contains("Seccomp:\t2")
                else { return nil }
                return running
            }
            let status = try String(contentsOfFile: "/proc/\(running)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("Threads:\t1\n"))
            let limits = try String(contentsOfFile: "/proc/\(running)/limits", encoding: .utf8)
            #expect(limits.contains(try Regex("Max cpu time +12 +12")))
            #expect(limits.contains(try Regex("Max data size +67108864 +67108864")))
            // Its connection, and nothing of securityd's or of the client's.
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running)/fd")
                .compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(running)/fd/\($0)")
                }
            #expect(files.filter { $0.hasPrefix("socket:") }.count == 1)
            #expect(!files.contains { $0.contains(service.stateDirectory) })
            kill(running, SIGKILL)
            try Waiting.until("the request to end") { asked.error != nil }
        }
    }

    /// While one client has all transcoders busy, another one's items are read.
    @Test func othersAreServedMeanwhile() throws {
        try TestService.run { service in
            let asked = try (0..<2).map { _ in ask(service, try slowRequest()) }
            try Waiting.until("two transcoders") {
                try service.helpers("transcoder").count == 2
            }
            _ = try service.keychain.deviceStatus()
            for running in try service.helpers("transcoder") { kill(running, SIGKILL) }
            try Waiting.until("the requests to end") {
                asked.allSatisfy { $0.error != nil }
            }
        }
    }

    @Test func whatIsTooLargeIsRefused() throws {
        try TestService.run { service in
            let data = [UInt8](repeating: 0x30, count: TranscodingLimits.requestByteCount)
            do throws(KeychainError) {
                _ = try service.keychain.transcode(reading(data))
                Issue.record("the request was sent")
            } catch { #expect(error.reason == .tooLarge) }
        }
    }
}
