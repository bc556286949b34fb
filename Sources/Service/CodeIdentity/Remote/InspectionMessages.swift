// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import IPC

/// What securityd asks a peerinspector (PROTOCOL.md, "Inspecting").
package enum InspectionQuestion: Sendable {
    /// Who a process is; with what an earlier look has opened of it.
    case who(InspectedProcess, PeerTraces?, InspectionOrder)
    /// The digest of a file.
    case digest(UndigestedFile)

    /// How many digests one may have with it: more than a program has libraries of its team that
    /// have just been built.
    package static let digestLimit = 64
}

/// A process that connected, to be named to others.
package final class InspectedProcess: Sendable {
    /// The process.
    package let peer: PeerProcess

    /// Takes a copy of a connection's peer; nil when there is no descriptor left.
    package convenience init?(_ peer: borrowing PeerProcess) {
        guard let copy = peer.duplicate() else { return nil }
        self.init(owning: copy)
    }

    /// Takes over a peer.
    package init(owning peer: consuming PeerProcess) { self.peer = peer }

    /// The user whose process it is.
    package var userID: UInt32 { peer.userID }

    /// Whether it still runs.
    package func isAlive() -> Bool { peer.isAlive() }

    /// Its number when it connected; only ever compared.
    package var processID: Int32 { peer.pid }
}

/// What a peerinspector answers.
package enum InspectionAnswer: Sendable {
    case outcome(InspectionOutcome)
    /// Nil for a file that has none.
    case digest(KnownDigest?)
}

/// The layouts of both.
enum InspectionCoding {
    private enum Kind {
        static let digest: UInt32 = 2
    }
    private enum Flag {
        static let rootsFilesAlone: UInt32 = 1
        static let hasTraces: UInt32 = 2
        /// From here on the marks of the traces.
        static let marks: UInt32 = 8
    }
    private enum Code {
        static let unknown: UInt8 = 0
        static let known: UInt8 = 1
        static let needsDigest: UInt8 = 2
        static let digest: UInt8 = 3
        static let facts: UInt8 = 4
    }

    private static let digestLimit = InspectionQuestion.digestLimit
    private static let digestByteCount = 32
    static let questionByteLimit = 24 + digestLimit * (40 + 4 + digestByteCount)
    static let answerByteLimit = 64 + ProcessFacts.byteLimit + IdentityCoding.byteLimit

    // MARK: - Questions

    static func encode(_ question: InspectionQuestion) -> (bytes: [UInt8], descriptors: [Int32]) {
        var writer = ByteWriter()
        switch question {
        case .who(let process, let traces, let order):
            writer.u32(order.stage.rawValue)
            writer.u32(UInt32(bitPattern: process.peer.pid))
            writer.u32(process.peer.userID)
            writer.u32(process.peer.groupID)
            var flags: UInt32 = order.asksRootsFilesAlone ? Flag.rootsFilesAlone : 0
            if let traces { flags |= Flag.hasTraces | UInt32(traces.marks.rawValue) << Flag.marks }
            writer.u32(flags)
            let digests = order.digests.prefix(digestLimit)
            writer.u32(UInt32(digests.count))
            for digest in digests { put(digest, &writer) }
            return (writer.bytes, [process.peer.rawPidfd] + (traces?.rawDescriptors ?? []))
        case .digest(let file):
            writer.u32(Kind.digest)
            return (writer.bytes, [file.file.rawValue])
        }
    }

    /// Reads a question.
    /// - Returns: Nil for anything but a whole one with its descriptors.
    static func question(_ bytes: [UInt8], _ received: consuming ReceivedFiles)
        -> InspectionQuestion?
    {
        var received = received
        return unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            guard let question = try? unsafe question(&reader, &received),
                (try? unsafe reader.finish()) != nil, received.isEmpty
            else { return nil }
            return question
        }
    }

    private static func question(
        _ reader: inout ByteReader, _ files: inout ReceivedFiles
    ) throws(DecodingFailure) -> InspectionQuestion {
        let kind = try unsafe reader.u32()
        guard kind != Kind.digest else {
            let file = try files.next()
            guard let status = FileStatus(descriptor: file.rawValue) else {
                throw DecodingFailure()
            }
            return .digest(UndigestedFile(status.identity, file))
        }
        guard let stage = InspectionStage(rawValue: kind) else { throw DecodingFailure() }
        let pid = Int32(bitPattern: try unsafe reader.u32())
        let userID = try unsafe reader.u32()
        let groupID = try unsafe reader.u32()
        let flags = try unsafe reader.u32()
        let count = try unsafe reader.u32()
        guard count <= UInt32(digestLimit) else { throw DecodingFailure() }
        var digests: [KnownDigest] = []
        for _ in 0..<count { digests.append(try unsafe digest(&reader)) }
        let process = InspectedProcess(
            owning: PeerProcess(
                pid: pid, userID: userID, groupID: groupID, pidfd: try files.next()))
        let traces =
            flags & Flag.hasTraces == 0
            ? nil : try files.traces(PeerTraces.Marks(rawValue: UInt8(flags >> Flag.marks & 0xFF)))
        return .who(
            process, traces,
            InspectionOrder(
                stage, digests: digests,
                asksRootsFilesAlone: flags & Flag.rootsFilesAlone != 0))
    }

    // MARK: - Answers

    /// - Parameters:
    ///   - answer: The answer.
    ///   - hadTraces: Whether who asked has the process's open files already.
    /// - Returns: The message, and what is to be attached.
    static func encode(
        _ answer: InspectionAnswer, hadTraces: Bool
    ) -> (bytes: [UInt8], descriptors: [Int32]) {
        var writer = ByteWriter()
        var descriptors: [Int32] = []
        switch answer {
        case .outcome(.unknown): writer.u8(Code.unknown)
        case .outcome(.known(let peer)):
            if let facts = peer.facts {
                writer.u8(Code.facts)
                writer.u8(peer.traces?.marks.rawValue ?? 0)
                writer.u8(peer.traces == nil ? 0 : 1)
                facts.append(to: &writer)
                if !hadTraces { descriptors = peer.traces?.rawDescriptors ?? [] }
                break
            }
            writer.u8(Code.known)
            writer.u8(peer.traces?.marks.rawValue ?? 0)
            writer.bytes(IdentityCoding.encode(peer.identity))
            if !hadTraces { descriptors = peer.traces?.rawDescriptors ?? [] }
        case .outcome(.needsDigest(let file, let traces)):
            writer.u8(Code.needsDigest)
            writer.u8(traces.marks.rawValue)
            put(file.identity, &writer)
            descriptors = (hadTraces ? [] : traces.rawDescriptors) + [file.file.rawValue]
        case .digest(let digest):
            writer.u8(Code.digest)
            if let digest { put(digest, &writer) }
        }
        return (writer.bytes, descriptors)
    }

    /// Reads the answer to a question.
    /// - Returns: Nil for anything but a whole one with its descriptors.
    static func answer(
        _ bytes: [UInt8], _ received: consuming ReceivedFiles, to question: InspectionQuestion
    ) -> InspectionAnswer? {
        var received = received
        return unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            guard let answer = try? unsafe answer(&reader, &received, to: question),
                (try? unsafe reader.finish()) != nil, received.isEmpty
            else { return nil }
            return answer
        }
    }

    private static func answer(
        _ reader: inout ByteReader, _ files: inout ReceivedFiles, to question: InspectionQuestion
    ) throws(DecodingFailure) -> InspectionAnswer {
        let code = try unsafe reader.u8()
        switch (question, code) {
        case (.digest, Code.digest):
            guard unsafe reader.remaining > 0 else { return .digest(nil) }
            return .digest(try unsafe digest(&reader))
        case (.who, Code.unknown): return .outcome(.unknown)
        case (.who(let process, let traces, _), Code.known):
            let marks = PeerTraces.Marks(rawValue: try unsafe reader.u8())
            let rest = try unsafe reader.array(unsafe reader.remaining)
            guard let identity = IdentityCoding.decode(rest, userID: process.userID) else {
                throw DecodingFailure()
            }
            guard identity.grade != .unsigned else {
                return .outcome(.known(EstablishedPeer(identity)))
            }
            // What is more than a program of the user has something to hang on.
            let found = try files.traces(marks, unless: traces)
            return .outcome(.known(EstablishedPeer(identity, found)))
        case (.who(let process, let traces, let order), Code.facts):
            guard order.stage == .bus else { throw DecodingFailure() }
            let marks = PeerTraces.Marks(rawValue: try unsafe reader.u8())
            let hasTraces = try unsafe reader.u8() == 1
            let facts = try unsafe ProcessFacts(&reader, userID: process.userID)
            let found = hasTraces ? try files.traces(marks, unless: traces) : nil
            return .outcome(.known(EstablishedPeer(facts, found)))
        case (.who(_, let traces, _), Code.needsDigest):
            let marks = PeerTraces.Marks(rawValue: try unsafe reader.u8())
            let identity = try unsafe fileIdentity(&reader)
            let found = try files.traces(marks, unless: traces)
            return .outcome(.needsDigest(UndigestedFile(identity, try files.next()), found))
        default: throw DecodingFailure()
        }
    }

    // MARK: - Parts

    private static func put(_ digest: KnownDigest, _ writer: inout ByteWriter) {
        put(digest.file, &writer)
        writer.u32(digest.isLasting ? 1 : 0)
        writer.bytes(digest.bytes)
    }

    private static func put(_ file: FileIdentity, _ writer: inout ByteWriter) {
        writer.u64(file.device)
        writer.u64(file.inode)
        for number in [file.byteCount, file.modified, file.changed] {
            writer.u64(UInt64(bitPattern: number))
        }
    }

    private static func digest(_ reader: inout ByteReader) throws(DecodingFailure) -> KnownDigest {
        let file = try unsafe fileIdentity(&reader)
        let isLasting = try unsafe reader.u32() == 1
        return KnownDigest(
            file: file, bytes: try unsafe reader.array(digestByteCount), isLasting: isLasting)
    }

    private static func fileIdentity(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> FileIdentity {
        FileIdentity(
            device: try unsafe reader.u64(), inode: try unsafe reader.u64(),
            byteCount: Int64(bitPattern: try unsafe reader.u64()),
            modified: Int64(bitPattern: try unsafe reader.u64()),
            changed: Int64(bitPattern: try unsafe reader.u64()))
    }
}

/// Descriptors that came with a message; what isn't taken is closed.
struct ReceivedFiles: ~Copyable {
    private var raw: ArraySlice<Int32>

    init(_ raw: [Int32]) { self.raw = raw[...] }

    deinit { for descriptor in raw { close(descriptor) } }

    var isEmpty: Bool { raw.isEmpty }

    mutating func next() throws(DecodingFailure) -> Descriptor {
        guard let first = raw.popFirst() else { throw DecodingFailure() }
        return Descriptor(owning: first)
    }

    /// What was opened of a process, unless it is there already.
    mutating func traces(
        _ marks: PeerTraces.Marks, unless known: PeerTraces? = nil
    ) throws(DecodingFailure) -> PeerTraces {
        if let known { return known }
        let maps = try next()
        let pages = try next()
        let program = try next()
        return PeerTraces(
            AddressSpace(
                maps: maps, pages: pages,
                pageFile: marks.contains(.hasPageMap) ? .map : .sizes),
            program: program, mayRaiseRights: marks.contains(.mayRaiseRights),
            sharesMounts: marks.contains(.sharesMounts),
            isOnRootsMount: marks.contains(.isOnRootsMount))
    }
}
