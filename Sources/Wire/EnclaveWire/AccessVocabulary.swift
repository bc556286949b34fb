// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import KeychainVocabulary

/// Under which authentication context a secret is used, and by whom.
package struct AccessScope: Hashable, Sendable {
    /// The byte count of ``context`` and of ``origin``.
    package static let byteCount = 32

    /// The context: random bytes that its program chose.
    package let context: [UInt8]
    /// The process that presents it, as a digest; securityd's statement.
    package let origin: [UInt8]

    /// Combines the parts.
    /// - Returns: Nil unless both have 32 bytes.
    package init?(context: [UInt8], origin: [UInt8]) {
        guard context.count == Self.byteCount, origin.count == Self.byteCount else { return nil }
        self.context = context
        self.origin = origin
    }
}

/// An item for which a person is asked.
package struct AccessSubject: Hashable, Sendable {
    /// The byte count of ``uuid``.
    package static let uuidByteCount = 16
    /// The byte count of ``controlDigest``.
    package static let digestByteCount = 32

    /// The row's UUID, 16 bytes.
    package let uuid: [UInt8]
    /// SHA-256 of the access control's encoding.
    package let controlDigest: [UInt8]

    /// Combines the parts.
    /// - Returns: Nil for other sizes.
    package init?(uuid: [UInt8], controlDigest: [UInt8]) {
        guard uuid.count == Self.uuidByteCount, controlDigest.count == Self.digestByteCount else {
            return nil
        }
        self.uuid = uuid
        self.controlDigest = controlDigest
    }
}

/// The question to the person. Its digest is part of the person's approval, so that an approval is
/// good for this operation, these items and this asking process, and for what was shown.
package struct AccessQuestion: Hashable, Sendable {
    /// More items than one page of a reply usually has.
    package static let subjectLimit = 256
    /// The maximum byte count of each text.
    package static let textByteCountLimit = 512

    /// The operation.
    package let operation: AccessControl.Operation
    /// The context, and who presents it.
    package let scope: AccessScope
    /// The items; none for a question that only establishes presence.
    package let subjects: [AccessSubject]
    /// The asking application as it is shown: name, grade and path.
    package let application: String
    /// The purpose as it is shown.
    package let purpose: String

    /// Combines the parts; longer texts are cut.
    /// - Returns: Nil when there are too many items.
    package init?(
        operation: AccessControl.Operation, scope: AccessScope, subjects: [AccessSubject],
        application: String, purpose: String
    ) {
        guard subjects.count <= Self.subjectLimit else { return nil }
        self.operation = operation
        self.scope = scope
        self.subjects = subjects
        self.application = Self.cut(application)
        self.purpose = Self.cut(purpose)
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textByteCountLimit else { return text }
        var cut = ""
        for scalar in text.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) <= textByteCountLimit else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }
}

// MARK: - Coding

// u8 1, u8 operation, context, origin, u16 number of items, items (16 bytes UUID, 32 bytes digest),
// u16 byte count and UTF-8 of the application, the same of the purpose.
extension AccessQuestion {
    private static let version: UInt8 = 1

    /// The only encoding of this value.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.u8(operation.rawValue)
        var bytes = writer.bytes + scope.context + scope.origin
        bytes.append(count: subjects.count)
        for subject in subjects { bytes += subject.uuid + subject.controlDigest }
        for text in [application, purpose] {
            bytes.append(count: text.utf8.count)
            bytes += Array(text.utf8)
        }
        return bytes
    }

    /// Reads an encoding.
    /// - Throws: ``DecodingFailure`` for anything that ``encoded`` doesn't produce.
    package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        self = try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(DecodingFailure) -> AccessQuestion in
                var reader = unsafe ByteReader(bytes)
                let question = try unsafe AccessQuestion(&reader)
                try unsafe reader.finish()
                return question
            }
        }.get()
    }

    private init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard try unsafe reader.u8() == Self.version,
            let operation = AccessControl.Operation(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        let scope = try unsafe AccessScope(&reader)
        let count = try unsafe Int(reader.u16())
        guard count <= Self.subjectLimit else { throw DecodingFailure() }
        var subjects: [AccessSubject] = []
        for _ in 0..<count {
            let uuid = try unsafe reader.array(AccessSubject.uuidByteCount)
            let digest = try unsafe reader.array(AccessSubject.digestByteCount)
            guard let subject = AccessSubject(uuid: uuid, controlDigest: digest) else {
                throw DecodingFailure()
            }
            subjects.append(subject)
        }
        let application = try unsafe Self.text(&reader)
        let purpose = try unsafe Self.text(&reader)
        guard
            let question = AccessQuestion(
                operation: operation, scope: scope, subjects: subjects, application: application,
                purpose: purpose)
        else { throw DecodingFailure() }
        self = question
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> String {
        let count = try unsafe Int(reader.u16())
        guard count <= textByteCountLimit,
            let text = String(validating: try unsafe reader.array(count), as: UTF8.self)
        else { throw DecodingFailure() }
        return text
    }
}

extension AccessScope {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard
            let scope = AccessScope(
                context: try unsafe reader.array(Self.byteCount),
                origin: try unsafe reader.array(Self.byteCount))
        else { throw DecodingFailure() }
        self = scope
    }
}

extension [UInt8] {
    fileprivate mutating func append(count: Int) {
        append(UInt8(truncatingIfNeeded: count))
        append(UInt8(truncatingIfNeeded: count >> 8))
    }
}
