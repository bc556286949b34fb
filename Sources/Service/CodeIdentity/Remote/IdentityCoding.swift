// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// An identity as peerinspector tells it (PROTOCOL.md, "Inspecting").
package enum IdentityCoding {
    /// More than any identity has.
    static let byteLimit = 160 * 1024
    /// More levels than a property list has.
    private static let depthLimit = PropertyList.depthLimit + 1

    // MARK: - Encoding

    /// The bytes.
    package static func encode(_ identity: ClientIdentity) -> [UInt8] {
        var writer = ByteWriter()
        writer.u32(identity.userID)
        let application = identity.application ?? identity.accessGroups.first ?? ""
        switch identity.grade {
        case .unsigned: writer.u8(0)
        case .rootOwnedPath: writer.u8(1)
        case .signed: writer.u8(2)
        case .signedAndProtected: writer.u8(3)
        }
        text(application, &writer)
        writer.u16(UInt16(clamping: identity.reasons.count))
        for reason in identity.reasons { writer.u16(reason.number) }
        let names = identity.entitlements.names.sorted()
        writer.u16(UInt16(clamping: names.count))
        for name in names {
            text(name, &writer)
            if let value = identity.entitlements.value(name) { put(value, &writer) }
        }
        return writer.bytes
    }

    private static func text(_ text: String, _ writer: inout ByteWriter) {
        writer.u32(UInt32(clamping: text.utf8.count))
        writer.bytes(text.utf8)
    }

    private static func put(_ value: Entitlements.Value, _ writer: inout ByteWriter) {
        switch value {
        case .other: writer.u8(0)
        case .flag(let flag): writer.u8(flag ? 2 : 1)
        case .text(let string):
            writer.u8(3)
            text(string, &writer)
        case .list(let list):
            writer.u8(4)
            writer.u16(UInt16(clamping: list.count))
            for element in list { put(element, &writer) }
        }
    }

    // MARK: - Decoding

    /// Reads an identity.
    /// - Returns: Nil for anything but a whole identity of this user.
    package static func decode(_ bytes: [UInt8], userID: UInt32) -> ClientIdentity? {
        guard bytes.count <= byteLimit else { return nil }
        return unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            guard let identity = try? unsafe identity(&reader), identity.userID == userID,
                (try? unsafe reader.finish()) != nil
            else { return nil }
            return identity
        }
    }

    private static func identity(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> ClientIdentity {
        let userID = try unsafe reader.u32()
        let grade = try unsafe reader.u8()
        let application = try unsafe text(&reader)
        var reasons: [IdentityReason] = []
        for _ in 0..<(try unsafe reader.u16()) {
            guard let reason = IdentityReason(number: try unsafe reader.u16()) else {
                throw DecodingFailure()
            }
            reasons.append(reason)
        }
        var values: [String: Entitlements.Value] = [:]
        for _ in 0..<(try unsafe reader.u16()) {
            let name = try unsafe text(&reader)
            values[name] = try unsafe value(&reader, depth: 0)
        }
        switch grade {
        case 0: return .unsigned(userID, reasons)
        case 1:
            guard application.hasPrefix("path:/") else { throw DecodingFailure() }
            return ClientIdentity(
                userID: userID, path: String(application.dropFirst(5)), reasons: reasons)
        case 2, 3:
            return ClientIdentity(
                userID: userID, grade: grade == 2 ? .signed : .signedAndProtected,
                application: application, entitlements: Entitlements(values), reasons: reasons)
        default: throw DecodingFailure()
        }
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> String {
        let count = Int(try unsafe reader.u32())
        let bytes = try unsafe reader.array(count)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw DecodingFailure() }
        return text
    }

    private static func value(
        _ reader: inout ByteReader, depth: Int
    ) throws(DecodingFailure) -> Entitlements.Value {
        guard depth < depthLimit else { throw DecodingFailure() }
        switch try unsafe reader.u8() {
        case 0: return .other
        case 1: return .flag(false)
        case 2: return .flag(true)
        case 3: return .text(try unsafe text(&reader))
        case 4:
            var list: [Entitlements.Value] = []
            for _ in 0..<(try unsafe reader.u16()) {
                list.append(try unsafe value(&reader, depth: depth + 1))
            }
            return .list(list)
        default: throw DecodingFailure()
        }
    }
}

extension IdentityReason {
    private static let plain: [IdentityReason] = [
        .notInspectable, .ended, .changed, .traced, .sharedProgram, .anonymousCode,
        .foreignLibrary, .replacedLibrary, .notRootsPath, .foreignNamespace, .holdsRights,
        .unprovenFile, .copiedCode, .programTooLarge, .replacedProgram, .notProtected,
    ]
    private static let signatureBase: UInt16 = 256
    private static let profileBase: UInt16 = 512

    /// By its place in the list, so that both sides must be of one version: they are installed
    /// together.
    fileprivate var number: UInt16 {
        switch self {
        case .notInspectable: 0
        case .ended: 1
        case .changed: 2
        case .traced: 3
        case .sharedProgram: 4
        case .anonymousCode: 5
        case .foreignLibrary: 6
        case .replacedLibrary: 7
        case .notRootsPath: 8
        case .foreignNamespace: 9
        case .holdsRights: 10
        case .unprovenFile: 11
        case .copiedCode: 12
        case .programTooLarge: 13
        case .replacedProgram: 14
        case .notProtected: 15
        case .signature(let problem): Self.signatureBase + problem.number
        case .profile(let problem): Self.profileBase + problem.number
        }
    }

    fileprivate init?(number: UInt16) {
        if let reason = Self.plain.indices.contains(Int(number)) ? Self.plain[Int(number)] : nil {
            self = reason
        } else if number >= Self.profileBase,
            let problem = SignatureProblem(number: number - Self.profileBase)
        {
            self = .profile(problem)
        } else if number >= Self.signatureBase,
            let problem = SignatureProblem(number: number - Self.signatureBase)
        {
            self = .signature(problem)
        } else {
            return nil
        }
    }
}

extension SignatureProblem {
    fileprivate var number: UInt16 {
        UInt16(clamping: Self.allCases.firstIndex(of: self) ?? Self.allCases.endIndex)
    }

    fileprivate init?(number: UInt16) {
        guard Self.allCases.indices.contains(Int(number)) else { return nil }
        self = Self.allCases[Int(number)]
    }
}
