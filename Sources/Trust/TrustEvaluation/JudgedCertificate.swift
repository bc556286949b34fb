// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks

/// A certificate that both our reader and libcrypto can read.
@safe package final class JudgedCertificate: Sendable {
    /// Its bytes.
    package let der: [UInt8]
    let facts: CertificateFacts
    let uses: CertificateUses
    /// libcrypto's object; it counts its users and may be shared by threads.
    nonisolated(unsafe) let handle: OpaquePointer
    /// The numbers by which names are looked up.
    let subjectNumber: UInt32
    let issuerNumber: UInt32
    /// Whether subject and issuer are the same name.
    let isSelfIssued: Bool

    /// - Returns: Nil for what isn't a certificate.
    package init?(_ der: [UInt8]) {
        guard let facts = CertificateFacts(der),
            let handle = unsafe llavero_certificate_read(der, der.count)
        else { return nil }
        self.der = der
        self.facts = facts
        uses = CertificateUses(facts)
        unsafe self.handle = unsafe handle
        subjectNumber = unsafe llavero_subject_number(handle)
        issuerNumber = unsafe llavero_issuer_number(handle)
        isSelfIssued = unsafe llavero_is_named_issuer(handle, handle) != 0
    }

    deinit { unsafe llavero_certificate_free(handle) }

    /// Whether its subject is the other's issuer.
    func isNamedIssuer(of other: JudgedCertificate) -> Bool {
        guard subjectNumber == other.issuerNumber else { return false }
        return unsafe llavero_is_named_issuer(handle, other.handle) != 0
    }

    /// Whether both have the same subject and key: a path with both has a loop.
    func isSameEntity(as other: JudgedCertificate) -> Bool {
        guard subjectNumber == other.subjectNumber else { return false }
        return unsafe llavero_is_same_entity(handle, other.handle) != 0
    }

    /// Whether its key made the other's signature.
    func hasSigned(_ other: JudgedCertificate) -> Bool {
        unsafe llavero_has_signed(handle, other.handle) != 0
    }

    /// Whether a signature can be checked with its key.
    var hasUsableKey: Bool { unsafe llavero_has_usable_key(handle) != 0 }
}

/// A revocation list.
@safe package final class RevocationList: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    let issuerNumber: UInt32
    /// In seconds since 1970; nil if the list doesn't say.
    let nextUpdate: Int64?

    /// - Returns: Nil for what isn't a revocation list.
    package init?(_ der: [UInt8]) {
        guard let handle = unsafe llavero_revocation_list_read(der, der.count) else { return nil }
        unsafe self.handle = unsafe handle
        issuerNumber = unsafe llavero_list_issuer_number(handle)
        let next = unsafe llavero_list_next_update(handle)
        nextUpdate = next == 0 ? nil : next
    }

    deinit { unsafe llavero_revocation_list_free(handle) }
}

/// Certificates by their subjects.
struct CertificatePool {
    private var bySubject: [UInt32: [JudgedCertificate]] = [:]
    private var known: Set<[UInt8]> = []

    init() {}

    /// Adds a certificate, once.
    mutating func add(_ certificate: JudgedCertificate) {
        guard known.insert(certificate.der).inserted else { return }
        bySubject[certificate.subjectNumber, default: []].append(certificate)
    }

    /// Whether this very certificate is in it.
    func contains(_ certificate: JudgedCertificate) -> Bool { known.contains(certificate.der) }

    /// Those whose subject is the certificate's issuer.
    func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
        (bySubject[certificate.issuerNumber] ?? []).filter { $0.isNamedIssuer(of: certificate) }
    }

    /// All.
    var all: [JudgedCertificate] { bySubject.values.flatMap { $0 } }
}
