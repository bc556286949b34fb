// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Glibc
import IPC
import KeychainVocabulary
import SecretBytes
import Testing

/// The peer of the client's connection, played by the test. The client's request ids begin with 1,
/// so a reply can be sent before its request.
private struct OtherEnd: ~Copyable {
    let socket: Descriptor

    func write(_ message: [UInt8]) {
        let count = unsafe message.withUnsafeBytes { bytes in
            unsafe Glibc.send(socket.rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        #expect(count == message.count)
    }

    /// Whether there are bytes to read.
    var isAsked: Bool { UnixSocket.waitUntilReadable(socket.rawValue, .zero) }

    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 70_000)
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe recv(socket.rawValue, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
        }
        return [UInt8](bytes.prefix(max(count, 0)))
    }
}

/// A client and its peer.
private struct Ends: ~Copyable {
    var client: EnclaveClient
    let other: OtherEnd

    init(deadlineMilliseconds: Int = 2_000) throws {
        let (mine, theirs) = try UnixSocket.pair()
        client = EnclaveClient(
            socket: Descriptor(owning: mine), deadlineMilliseconds: deadlineMilliseconds)
        other = OtherEnd(socket: Descriptor(owning: theirs))
    }
}

@Suite struct EnclaveClientTests {
    @Test func aStatusArrives() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(WireSamples.reply(.status), kind: .status, requestID: 1))
        #expect(try ends.client.status(userID: 1000) == WireSamples.status)
        #expect(try WireSamples.header(ends.other.read()).userID == 1000)
    }

    @Test func aSecretIsSentAndTheSealedOneReturned() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(.sealed([1, 2]), kind: .seal, requestID: 1))
        let sealed = try ends.client.seal(
            class: .ck, context: WireSamples.context, secret: WireSamples.secret([9, 9]),
            userID: 5)
        #expect(sealed == [1, 2])
        #expect(WireSamples.payload(ends.other.read()) == [7] + WireSamples.context + [9, 9])
    }

    @Test func eachRowHasItsOwnResult() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(WireSamples.reply(.open), kind: .open, requestID: 1))
        let row = SealedSecret(binding: WireSamples.binding(), sealed: [1])
        let results = try ends.client.open([row, row, row], userID: 5)
        #expect(results.count == 3)
        let secret = try results[0].get()
        #expect(unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) } == [7, 8, 9])
        #expect(throws: EnclaveCallError.locked) { try results[1].get() }
    }

    @Test func eachVerifiedRowHasItsOwnResult() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(WireSamples.reply(.verify), kind: .verify, requestID: 1))
        let row = SealedSecret(binding: WireSamples.binding(), sealed: [1])
        #expect(
            try ends.client.verify([row, row, row], userID: 5) == [nil, .locked, .undecodable])
        let other = [row]
        ends.other.write(WireSamples.bytes(WireSamples.reply(.verify), kind: .verify, requestID: 2))
        #expect(throws: EnclaveCallError.gone) { try ends.client.verify(other, userID: 5) }
    }

    @Test func theHighestLockCountOfEachUserIsKept() throws {
        var ends = try Ends()
        #expect(ends.client.lockCount(userID: 1000) == 0)
        for (index, reply) in [UInt32(7), 3].enumerated() {
            ends.other.write(
                WireSamples.bytes(
                    .locked(lockCount: reply), kind: .challenge, requestID: UInt64(index) + 1))
            #expect(throws: EnclaveCallError.locked) { try ends.client.challenge(userID: 1000) }
        }
        #expect(ends.client.lockCount(userID: 1000) == 7)
        #expect(ends.client.lockCount(userID: 1) == 0)
        ends.other.write(
            WireSamples.bytes(
                .opened([.failure(.busy), .locked(lockCount: 9)]), kind: .open, requestID: 3))
        let row = SealedSecret(binding: WireSamples.binding(), sealed: [1])
        _ = try ends.client.open([row, row], userID: 1000)
        #expect(ends.client.lockCount(userID: 1000) == 9)
    }

    @Test func lockingTellsWhenAndHowOften() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(WireSamples.reply(.lock), kind: .lock, requestID: 1))
        let answer = try ends.client.lock(.afterGrace, userID: 1000)
        #expect(answer == LockAnswer(seconds: 9, lockCount: 3))
        #expect(WireSamples.payload(ends.other.read()) == [1])
        #expect(ends.client.lockCount(userID: 1000) == 3)
    }

    @Test func assertionsAreTakenAndGivenBack() throws {
        var ends = try Ends()
        ends.other.write(
            WireSamples.bytes(.assertion(token: 12), kind: .assertion, requestID: 1))
        #expect(try ends.client.takeAssertion(seconds: 60, userID: 5) == 12)
        ends.other.write(
            WireSamples.bytes(.assertion(token: 12), kind: .assertion, requestID: 2))
        try ends.client.releaseAssertion(12, userID: 5)
        #expect(throws: EnclaveCallError.malformed) {
            try ends.client.takeAssertion(seconds: 61, userID: 5)
        }
    }

    @Test func waitingForALockOutlastsTheDeadlineOfOtherCalls() async throws {
        let (mine, theirs) = try UnixSocket.pair()
        let other = OtherEnd(socket: Descriptor(owning: theirs))
        let waiting = Task.detached {
            var client = EnclaveClient(
                socket: Descriptor(owning: mine), deadlineMilliseconds: 20)
            return try client.awaitLock(after: 70_000)
        }
        // Its deadline passes while it waits, not before it has sent the request.
        for _ in 0..<30_000 where !other.isAsked { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(100))
        other.write(
            WireSamples.bytes(WireSamples.reply(.awaitLock), kind: .awaitLock, requestID: 1))
        #expect(try await waiting.value.number == 70_001)
    }

    @Test func statusesBecomeErrors() throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(.throttled(seconds: 60), kind: .passcode, requestID: 1))
        #expect(throws: EnclaveCallError.throttled(seconds: 60)) {
            try ends.client.passcode(
                operation: .unlock, sealed: [UInt8](repeating: 0, count: 60), userID: 5)
        }
        ends.other.write(WireSamples.bytes(.failure(.busy), kind: .lock, requestID: 2))
        #expect(throws: EnclaveCallError.busy) { try ends.client.lock(userID: 5) }
    }

    @Test func aClosedConnectionIsGone() throws {
        var ends = try Ends()
        shutdown(ends.other.socket.rawValue, Int32(SHUT_RDWR))
        #expect(throws: EnclaveCallError.gone) { try ends.client.lock(userID: 5) }
        #expect(throws: EnclaveCallError.gone) { try ends.client.lock(userID: 5) }
    }

    @Test func silenceIsUnreachableWithinTheDeadlineAndThenAtOnce() throws {
        var ends = try Ends(deadlineMilliseconds: 3_000)
        let clock = ContinuousClock()
        let first = clock.measure {
            #expect(throws: EnclaveCallError.unreachable) { try ends.client.lock(userID: 5) }
        }
        #expect(first > .milliseconds(2_900))
        let second = clock.measure {
            #expect(throws: EnclaveCallError.unreachable) { try ends.client.lock(userID: 5) }
        }
        // At once: there is no second deadline.
        #expect(second < .milliseconds(2_900))
        #expect(ends.other.read().count == EnclaveHeader.byteCount + 1)
    }

    @Test func aLateReplyIsDroppedAndTheNextCallWorks() throws {
        var ends = try Ends(deadlineMilliseconds: 3_000)
        let late = WireSamples.bytes(.done, kind: .lock, requestID: 1)
        #expect(throws: EnclaveCallError.unreachable) { try ends.client.lock(userID: 5) }
        ends.other.write([UInt8](late.prefix(10)))
        #expect(throws: EnclaveCallError.unreachable) { try ends.client.lock(userID: 5) }
        ends.other.write([UInt8](late.dropFirst(10)))
        // The call that failed at once has sent nothing.
        #expect(ends.other.read().count == EnclaveHeader.byteCount + 1)
        // The next call drops it first; its own request has the next id, whose reply is already
        // there.
        let nonce = [UInt8](repeating: 7, count: 32)
        try Self.sendOnceAsked(
            WireSamples.bytes(.challenge(nonce), kind: .challenge, requestID: 2), to: ends.other)
        #expect(try ends.client.challenge(userID: 5) == nonce)
        let sent = ends.other.read()
        #expect(sent.count == EnclaveHeader.byteCount)
        #expect(try WireSamples.header(sent).requestID == 2)
    }

    /// A reply directly after a late one would be read as part of it, so a thread sends it after it
    /// has seen the request.
    private static func sendOnceAsked(_ reply: [UInt8], to end: borrowing OtherEnd) throws {
        let socket = end.socket.rawValue
        try NativeThread.start {
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 30_000) == 1, entry.revents == Int16(POLLIN) else {
                return
            }
            unsafe reply.withUnsafeBytes { bytes in
                _ = unsafe Glibc.send(
                    socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    @Test(arguments: [EnclaveMessageKind.status, .challenge])
    func aReplyOfAnotherKindEndsTheConnection(kind: EnclaveMessageKind) throws {
        var ends = try Ends()
        ends.other.write(WireSamples.bytes(WireSamples.reply(kind), kind: kind, requestID: 1))
        #expect(throws: EnclaveCallError.gone) { try ends.client.lock(userID: 5) }
    }

    @Test func aMessageOfAnotherVersionEndsTheConnection() throws {
        for version: UInt8 in [0, 2] {
            var ends = try Ends()
            var reply = WireSamples.bytes(
                WireSamples.reply(.status), kind: .status, requestID: 1)
            #expect(Array(reply[20..<24]) == [1, 0, 0, 0])
            reply[20] = version
            ends.other.write(reply)
            #expect(throws: EnclaveCallError.gone) { try ends.client.status(userID: 5) }
        }
    }

    @Test func garbageEndsTheConnection() throws {
        var ends = try Ends()
        ends.other.write([UInt8](repeating: 0xFF, count: 100))
        #expect(throws: EnclaveCallError.gone) { try ends.client.lock(userID: 5) }
    }

    @Test func limitsAreCheckedBeforeAnythingIsSent() throws {
        var ends = try Ends()
        #expect(throws: EnclaveCallError.malformed) {
            try ends.client.seal(
                class: .ak, context: [1], secret: WireSamples.secret([]), userID: 5)
        }
        #expect(throws: EnclaveCallError.malformed) { try ends.client.open([], userID: 5) }
        #expect(throws: EnclaveCallError.malformed) {
            try ends.client.passcode(operation: .set, sealed: [1], userID: 5)
        }
        #expect(ends.other.read().isEmpty)
    }
}
