// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import Keychain
import TestSupport
import Testing

/// Tasks that use whole files; each has one of them open while it asks the service.
enum FileCall: String, CaseIterable, Sendable {
    case open
    case seal
    case unseal

    /// The file that is open meanwhile.
    var source: String { self == .seal ? "plain" : "old.sealed" }

    /// The file that must exist afterwards, and didn't before.
    var made: [String] { self == .open ? [] : ["made"] }

    func make(
        _ keychain: Keychain, _ folder: String, within duration: Duration
    ) async -> SealedFileError? {
        let source = folder + "/" + source
        let target = folder + "/made"
        do throws(SealedFileError) {
            switch self {
            case .open: _ = try await keychain.openSealed(file: source, within: duration)
            case .seal: try await keychain.seal(file: source, to: target, within: duration)
            case .unseal: try await keychain.unseal(file: source, to: target, within: duration)
            }
            return nil
        } catch { return error }
    }
}

extension SealedFileError {
    /// Why the keychain wasn't asked, or didn't return the key.
    fileprivate var reason: FailureReason? {
        guard case .keychain(let error) = self else { return nil }
        return error.reason
    }
}

extension KeychainTests.Files {
    private static let long = Duration.seconds(600)

    private static func failure<R: Sendable>(
        _ body: () async throws(SealedFileError) -> R
    ) async -> SealedFileError? {
        do throws(SealedFileError) {
            _ = try await body()
            return nil
        } catch { return error }
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    private func makeFiles(_ keychain: Keychain) async throws {
        try write(Self.bytes(1000), "plain")
        try await keychain.seal(file: path("plain"), to: path("old.sealed"))
    }

    /// The control is the same call without a cancellation.
    @Test(arguments: FileCall.allCases)
    func aCancelledCallEndsThoughTheServiceStandsStillAndLeavesNothing(
        _ call: FileCall
    ) async throws {
        try await lend { subject in
            let (keychain, folder) = (subject.keychain, folder)
            try await makeFiles(keychain)
            let kept = try await subject.whileStopped { _ in
                let cancelled = Task { await call.make(keychain, folder, within: Self.long) }
                try await waitUntil("the call") { openCount(call.source) == 1 }
                cancelled.cancel()
                // The service is still stopped: only the cancellation can have ended it.
                #expect(await cancelled.value?.reason == .cancelled)
                try await waitUntil("its end") { openCount(call.source) == 0 }
                #expect(try names == ["old.sealed", "plain"])
                let kept = Task { await call.make(keychain, folder, within: Self.long) }
                try await waitUntil("the next call") { openCount(call.source) == 1 }
                return kept
            }
            #expect(await kept.value == nil)
            #expect(try names == (["old.sealed", "plain"] + call.made).sorted())
        }
    }

    @Test(arguments: FileCall.allCases) func aCallThatIsOutOfTimeLeavesNothing(
        _ call: FileCall
    ) async throws {
        try await lend { subject in
            let (keychain, folder) = (subject.keychain, folder)
            try await makeFiles(keychain)
            try await subject.whileStopped { _ in
                for milliseconds in [0, 1, 100] {
                    let failure = await call.make(
                        keychain, folder, within: .milliseconds(milliseconds))
                    #expect(failure?.reason == .timedOut)
                }
                let left = try names
                #expect(left == ["old.sealed", "plain"])
            }
            #expect(await call.make(keychain, folder, within: Self.long) == nil)
            #expect(try names == (["old.sealed", "plain"] + call.made).sorted())
        }
    }

    @Test func aCancelledFirstSealLeavesNoKey() async throws {
        try await lend { subject in
            let (keychain, folder) = (subject.keychain, folder)
            try write([1, 2, 3], "plain")
            let query = ItemQuery.password(service: "llavero.sealed-files", limit: nil)
            try await subject.whileStopped { _ in
                let seal = Task { await FileCall.seal.make(keychain, folder, within: Self.long) }
                try await waitUntil("the seal") { openCount("plain") == 1 }
                seal.cancel()
                #expect(await seal.value?.reason == .cancelled)
            }
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.store.find(query, within: Self.long)
                } == .absent)
            #expect(await FileCall.seal.make(keychain, folder, within: Self.long) == nil)
            #expect(try await keychain.store.find(query, within: Self.long).count == 1)
        }
    }

    /// A blocking call holds the connection as long as the service is stopped.
    @Test func aCancelledSealLeavesTheLineBehindABlockingCall() async throws {
        try await lend { subject in
            let location = ServiceLocation(
                socketPath: subject.service.socketPath, deadline: Self.long)
            let keychain = Keychain(
                service: "com.example.test", in: KeychainService(location: location))
            try await keychain.save("value", for: "item")
            try await makeFiles(keychain)
            let folder = folder
            let finished = Counter()
            let found = Counter()
            try await subject.whileStopped { _ in
                let begun = Counter()
                try NativeThread.start {
                    begun.add(1)
                    let value = try? keychain.blocking.value(for: "item") as String
                    if value == "value" { found.add(1) }
                    finished.add(1)
                }
                try await waitUntil("the blocking call") { begun.value == 1 }
                let seal = Task { await FileCall.seal.make(keychain, folder, within: Self.long) }
                try await waitUntil("the seal") { openCount("plain") == 1 }
                seal.cancel()
                #expect(await seal.value?.reason == .cancelled)
                #expect(finished.value == 0)
            }
            try await waitUntil("the blocking call's end") { finished.value == 1 }
            #expect(found.value == 1)
            #expect(await FileCall.seal.make(keychain, folder, within: Self.long) == nil)
        }
    }

    @Test(arguments: FileCall.allCases)
    func theMainActorGoesOnWhileTheServiceStandsStill(_ call: FileCall) async throws {
        try await lend { subject in
            let (keychain, folder) = (subject.keychain, folder)
            try await makeFiles(keychain)
            let finished = Counter()
            let task = try await subject.whileStopped { _ in
                let task = Task { @MainActor in
                    let failure = await call.make(keychain, folder, within: Self.long)
                    finished.add(1)
                    return failure
                }
                try await waitUntil("the call") { openCount(call.source) == 1 }
                var ticks = 0
                for _ in 0..<200 { ticks += await Task { @MainActor in 1 }.value }
                #expect(ticks == 200)
                #expect(finished.value == 0)
                return task
            }
            #expect(await task.value == nil)
        }
    }

    // MARK: - Handles

    @Test func aTaskReadsTheSameBytesAsABlockingCall() async throws {
        try await lend { subject in
            let chunk = 4096
            let files = SealedFiles(subject.service.keychain, chunkBits: 12)
            let bytes = Self.bytes(3 * chunk + 100)
            try write(bytes, "plain")
            try files.seal(file: path("plain"))
            let file = try files.open(path("plain.sealed"))
            #expect(file.async.size == file.size)
            let places = [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, bytes.count - 1]
            for start in places + [bytes.count, bytes.count + 1, Int.max] {
                for count in [-1, 0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, bytes.count + 1] {
                    let read = try await file.async.read(at: UInt64(start), count: count)
                    #expect(try file.read(at: UInt64(start), count: count) == read)
                    let end = min(bytes.count, min(start, bytes.count) + max(count, 0))
                    #expect(read == [UInt8](bytes[min(start, end)..<end]))
                }
            }
        }
    }

    @Test func aStreamHasTheWholeContentAndEndsWithItsTask() async throws {
        try await lend { subject in
            let bytes = Self.bytes(5 << 19 | 77)
            try write(bytes, "plain")
            try await subject.keychain.seal(file: path("plain"))
            let file = try await subject.keychain.openSealed(file: path("plain.sealed")).async
            var all: [UInt8] = []
            var count = 0
            for try await piece in file.stream() {
                #expect(piece.count <= 1 << 20)
                all += piece
                count += 1
            }
            #expect(all == bytes)
            #expect(count == 3)
            var rest: [UInt8] = []
            for try await piece in file.stream(from: 70_000) { rest += piece }
            #expect(rest == [UInt8](bytes[70_000...]))
            let pieces = Counter()
            let reader = Task { () -> SealedFileError? in
                var iterator = file.stream().makeAsyncIterator()
                do throws(SealedFileError) {
                    while try await iterator.next() != nil {
                        pieces.add(1)
                        while !Task.isCancelled { await Task.yield() }
                    }
                    return nil
                } catch { return error }
            }
            try await waitUntil("a piece") { pieces.value == 1 }
            reader.cancel()
            #expect(await reader.value?.reason == .cancelled)
            #expect(pieces.value == 1)
        }
    }

    /// Damage after the first returned piece is detected, because that part wasn't read by then.
    @Test func aStreamReadsNothingAhead() async throws {
        try await lend { subject in
            let files = SealedFiles(subject.service.keychain, chunkBits: 12)
            try write(Self.bytes(3 << 20), "plain")
            try files.seal(file: path("plain"))
            let file = try files.open(path("plain.sealed")).async
            var stream = file.stream().makeAsyncIterator()
            let first = try await stream.next()
            #expect(first?.count == 1 << 20)
            let sealed = try FileHandle(forUpdating: URL(fileURLWithPath: path("plain.sealed")))
            let chunk = UInt64(1 << 8)
            let place = UInt64(SealedFileHeader.byteCount) + chunk * (4096 + 16)
            try sealed.seek(toOffset: place)
            let old = try #require(try sealed.read(upToCount: 1))
            try sealed.seek(toOffset: place)
            try sealed.write(contentsOf: Data([old[0] ^ 1]))
            let (damaged, failure) = await Self.next(stream)
            #expect(failure == .damaged(.chunk(chunk)))
            try sealed.seek(toOffset: place)
            try sealed.write(contentsOf: old)
            try sealed.close()
            // The control, and the same piece again.
            var again = damaged
            let second = try await again.next()
            #expect(second?.count == 1 << 20)
        }
    }

    private static func next(
        _ stream: AsyncSealedFileStream.AsyncIterator
    ) async -> (AsyncSealedFileStream.AsyncIterator, SealedFileError?) {
        var stream = stream
        do throws(SealedFileError) {
            _ = try await stream.next()
            return (stream, nil)
        } catch { return (stream, error) }
    }

    @Test func damageFailsInATaskAsInABlockingCall() async throws {
        try await lend { subject in
            let files = SealedFiles(subject.service.keychain, chunkBits: 12)
            try write([UInt8](repeating: 7, count: 5 * 4096), "plain")
            try files.seal(file: path("plain"))
            let whole = [UInt8](
                try Data(contentsOf: URL(fileURLWithPath: path("plain.sealed"))))
            let stride = 4096 + 16
            let parts = (0..<5).map { SealedFileHeader.byteCount + $0 * stride }
            var reordered = whole
            reordered.replaceSubrange(
                parts[1]..<parts[2], with: whole[parts[2]..<parts[2] + stride])
            reordered.replaceSubrange(
                parts[2]..<parts[2] + stride, with: whole[parts[1]..<parts[2]])
            try write(reordered, "reordered")
            let file = try await subject.keychain.openSealed(file: path("reordered"))
            for number in [0, 1, 3] as [UInt64] {
                let blocking: SealedFileError?
                do throws(SealedFileError) {
                    _ = try file.read(at: number * 4096, count: 4096)
                    blocking = nil
                } catch { blocking = error }
                #expect(blocking == (number == 1 ? .damaged(.chunk(1)) : nil))
                #expect(
                    await Self.failure { () throws(SealedFileError) in
                        try await file.async.read(at: number * 4096, count: 4096)
                    } == blocking)
            }
            try write([UInt8](whole[..<parts[4]]), "truncated")
            #expect(
                await Self.failure { () throws(SealedFileError) in
                    try await subject.keychain.openSealed(file: path("truncated")).size
                } == .damaged(.end))
            _ = try await subject.keychain.openSealed(file: path("plain.sealed"))
            // A file that is truncated while it is open.
            let open = try files.open(path("plain.sealed"))
            try FileHandle(forUpdating: URL(fileURLWithPath: path("plain.sealed")))
                .truncate(atOffset: UInt64(parts[3]))
            #expect(try await open.async.read(at: 0, count: 3 * 4096).count == 3 * 4096)
            #expect(
                await Self.failure { () throws(SealedFileError) in
                    try await open.async.read(at: 0, count: 4 * 4096)
                } == .damaged(.chunk(3)))
        }
    }

    @Test func aReadThatWaitsForTheServiceEndsWithItsTaskOrTime() async throws {
        try await lend { subject in
            let keychain = subject.keychain
            let bytes = Self.bytes(200_000)
            try write(bytes, "plain")
            // Each read first asks whether such a file may be read.
            try await keychain.seal(file: path("plain"), protection: .complete)
            let file = try await keychain.openSealed(file: path("plain.sealed")).async
            let kept = try await subject.whileStopped { _ in
                let begun = Counter()
                let reads = (0..<10).map { _ in
                    Task {
                        begun.add(1)
                        return await Self.failure { () throws(SealedFileError) in
                            try await file.read(at: 0, count: 10, within: Self.long)
                        }
                    }
                }
                try await waitUntil("the reads") { begun.value == 10 }
                for milliseconds in [0, 1, 50] {
                    #expect(
                        await Self.failure { () throws(SealedFileError) in
                            try await file.read(
                                at: 0, count: 10, within: .milliseconds(milliseconds))
                        }?.reason == .timedOut)
                }
                for read in reads { read.cancel() }
                for read in reads {
                    let failure = await read.value
                    #expect(failure?.reason == .cancelled, "\(String(describing: failure))")
                }
                return Task { try await file.read(at: 0, count: 300_000, within: Self.long) }
            }
            #expect(try await kept.value == bytes)
        }
    }

    // MARK: - Writing

    @Test func whatATaskWritesIsThereWhenItIsFinished() async throws {
        try await lend { subject in
            let keychain = subject.keychain
            let bytes = Self.bytes(300_000)
            let writer = try await keychain.createSealed(file: path("sealed"))
            for start in stride(from: 0, to: bytes.count, by: 70_000) {
                try await writer.write([UInt8](bytes[start..<min(start + 70_000, bytes.count)]))
            }
            #expect(try names == [])
            try await writer.finish()
            #expect(try names == ["sealed"])
            let file = try await keychain.openSealed(file: path("sealed"))
            #expect(try await file.async.read(at: 0, count: 300_001) == bytes)
            #expect(
                await Self.failure { () throws(SealedFileError) in
                    try await writer.write([1])
                } == .ended)
            #expect(
                await Self.failure { () throws(SealedFileError) in
                    try await keychain.createSealed(file: path("sealed")).protection
                } == .exists)
        }
    }

    @Test func aWriteThatIsGivenUpTakesNothingAndCanBeTriedAgain() async throws {
        try await lend { subject in
            let keychain = subject.keychain
            let bytes = Self.bytes(200_000)
            // Each full chunk asks whether such a file may be written.
            let writer = try await keychain.createSealed(
                file: path("sealed"), protection: .complete)
            try await subject.whileStopped { _ in
                let write = Task {
                    await Self.failure { () throws(SealedFileError) in
                        try await writer.write(bytes, within: Self.long)
                    }
                }
                write.cancel()
                #expect(await write.value?.reason == .cancelled)
                #expect(
                    await Self.failure { () throws(SealedFileError) in
                        try await writer.write(bytes, within: .milliseconds(100))
                    }?.reason == .timedOut)
                #expect(
                    await Self.failure { () throws(SealedFileError) in
                        try await writer.finish(within: .milliseconds(100))
                    }?.reason == .timedOut)
            }
            #expect(try names == [])
            try await writer.write(bytes)
            try await writer.finish()
            let file = try await keychain.openSealed(file: path("sealed"))
            #expect(try await file.async.read(at: 0, count: 200_001) == bytes)
            #expect(try names == ["sealed"])
        }
    }
}
