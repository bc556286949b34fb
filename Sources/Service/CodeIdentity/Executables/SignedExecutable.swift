// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a program's file says of itself: its digest, and the signature that it carries.
package struct SignedExecutable: Sendable {
    /// The section of the container.
    package static let signatureSection = ".codesig"
    /// The section of the entitlements.
    package static let entitlementsSection = ".entitlements"

    /// ``CodeDigest`` of the file.
    package let codeDigest: [UInt8]
    /// Its signature, or why there is none that holds.
    package let signature: Result<VerifiedSignature, SignatureProblem>
    /// Whether the signature, if any, is in the file itself.
    let isEmbedded: Bool

    /// Reads and checks a program.
    /// - Parameters:
    ///   - source: The program's file.
    ///   - detached: Finds the container of a signature apart from the file, by the digest.
    /// - Throws: when the file isn't a program or can't be read; a bad signature is no error here.
    package init(
        _ source: ByteSource, detached: (_ codeDigest: [UInt8]) -> [UInt8]? = { _ in nil }
    ) throws(SignatureProblem) {
        let file = try ELFFile(source)
        self.init(file, codeDigest: try CodeDigest.of(file), detached: detached)
    }

    /// Reads and checks a program whose digest was taken before.
    /// - Parameters:
    ///   - source: The program's file.
    ///   - codeDigest: Its digest.
    ///   - detached: Finds the container of a signature apart from the file, by the digest.
    /// - Throws: when the file isn't a program or can't be read; a bad signature is no error here.
    init(
        _ source: ByteSource, codeDigest: [UInt8], detached: (_ codeDigest: [UInt8]) -> [UInt8]?
    ) throws(SignatureProblem) {
        self.init(try ELFFile(source), codeDigest: codeDigest, detached: detached)
    }

    private init(
        _ file: ELFFile, codeDigest: [UInt8], detached: (_ codeDigest: [UInt8]) -> [UInt8]?
    ) {
        self.codeDigest = codeDigest
        do throws(SignatureProblem) {
            let sections = try file.sections()
            let entitlements = try file.sectionBytes(
                Self.entitlementsSection, in: sections, limit: PropertyList.byteLimit)
            let embedded = try file.sectionBytes(
                Self.signatureSection, in: sections, limit: SignatureContainer.byteLimit)
            isEmbedded = embedded != nil
            signature = Self.verified(
                embedded ?? detached(codeDigest), codeDigest,
                entitlements: embedded == nil ? nil : entitlements ?? [])
        } catch {
            isEmbedded = true
            signature = .failure(error)
        }
    }

    private init(
        codeDigest: [UInt8], signature: Result<VerifiedSignature, SignatureProblem>
    ) {
        self.codeDigest = codeDigest
        self.signature = signature
        isEmbedded = false
    }

    /// The same program with what lies beside it now.
    func with(detached container: [UInt8]?) -> SignedExecutable {
        SignedExecutable(
            codeDigest: codeDigest,
            signature: Self.verified(container, codeDigest, entitlements: nil))
    }

    private static func verified(
        _ container: [UInt8]?, _ codeDigest: [UInt8], entitlements: [UInt8]?
    ) -> Result<VerifiedSignature, SignatureProblem> {
        do throws(SignatureProblem) {
            guard let container else { throw .absent }
            return .success(
                try VerifiedSignature(
                    SignatureContainer(decoding: container), codeDigest: codeDigest,
                    entitlements: entitlements))
        } catch { return .failure(error) }
    }

    /// Whether a file has a signature's section.
    static func carriesSignature(_ file: ELFFile) -> Bool {
        guard let sections = try? file.sections() else { return false }
        return sections.contains { $0.name.elementsEqual(signatureSection.utf8) }
    }

    /// What a detached signature's file is called: the digest in hexadecimal.
    package static func detachedName(_ codeDigest: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let name = codeDigest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: name, as: UTF8.self)
    }
}
