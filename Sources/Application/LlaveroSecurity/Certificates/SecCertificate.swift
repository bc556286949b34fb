// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
package import SecurityWire

/// An X.509 certificate.
///
/// It is known to be well-formed, but not more: only an evaluation of trust decides whether it is
/// genuine.
public final class SecCertificate: NSObject, Sendable {
    /// The bytes that it was made from, unchanged.
    package let der: Data
    let fields: CertificateFields

    /// Makes a certificate from its DER bytes.
    /// - Returns: Nil for bytes that aren't an X.509 certificate, and for more than 1 MiB.
    package init?(der: Data) {
        guard der.count <= CertificateFields.largestByteCount,
            let fields = CertificateFields(der: [UInt8](der))
        else { return nil }
        self.der = der
        self.fields = fields
    }

    /// Whether both are the same bytes.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.der == der
    }

    /// A digest of the bytes.
    override public var hash: Int { der.hashValue }
}

extension SecCertificate {
    /// The attributes of an item that is this certificate, besides its label. Identifiers that the
    /// certificate lacks aren't set.
    package var itemAttributes: ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.certificateType] = .integer(Int64(fields.version))
        // DER. Source: `CSSM_CERT_ENCODING_DER`.
        attributes[.certificateEncoding] = .integer(3)
        attributes[.subject] = .data(fields.normalizedSubject)
        attributes[.issuer] = .data(fields.normalizedIssuer)
        attributes[.serialNumber] = .data(fields.serialNumber)
        attributes[.subjectKeyID] = fields.subjectKeyID.map { .data($0) }
        attributes[.publicKeyHash] = .data(fields.publicKeyHash)
        return attributes
    }

    /// The label of an item that is added without one: the certificate's summary.
    package var summaryLabel: String? { fields.summary }
}

/// Makes a certificate from its DER bytes.
/// - Returns: Nil for bytes that aren't an X.509 certificate. Its signature isn't verified.
public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
    guard data.length <= CertificateFields.largestByteCount else { return nil }
    return SecCertificate(der: unsafe Data(bytes: data.bytes, count: data.length))
}

/// The DER bytes of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.der as NSData
}

/// The type of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { TypeID.certificate }

/// The summary of a certificate, in one line.
/// - Returns: The subject's common names (with its description in parentheses); without one the
///   first e-mail address, else the first DNS name, else its organizational units, organizations,
///   or any other attribute. Several values of a kind are joined by ", ", the last first. Nil for
///   an empty subject.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.fields.summary.map { NSString(string: $0) }
}

/// The issuer's name in the form that names are compared in, as a whole SEQUENCE. The attribute
/// `kSecAttrIssuer` is its content.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    Data(derElement(tag: 0x30, certificate.fields.normalizedIssuer)) as NSData
}

/// The subject's name in the form that names are compared in, as a whole SEQUENCE. The attribute
/// `kSecAttrSubject` is its content.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    Data(derElement(tag: 0x30, certificate.fields.normalizedSubject)) as NSData
}

/// The issuer's name in the form that names are compared in, without the header of its SEQUENCE.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The value of the attribute `kSecAttrIssuer`.
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(certificate.fields.normalizedIssuer) as NSData
}

/// The subject's name in the form that names are compared in, without the header of its SEQUENCE.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The value of the attribute `kSecAttrSubject`.
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(certificate.fields.normalizedSubject) as NSData
}

/// The serial number.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The content of its DER INTEGER, with its sign byte.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(certificate.fields.serialNumber) as NSData
}

/// The subject's common name; the last if there are several.
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Where to put it.
/// - Returns: `errSecSuccess`; `errSecInternal` if the subject has none, as in Apple's
///   implementation.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.fields.commonNames.last else { return errSecInternal }
    unsafe commonName.pointee = NSString(string: name)
    return errSecSuccess
}

/// The e-mail addresses of the subject: those among its alternative names, then those in its name.
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Where to put the texts; an empty array if there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let addresses = certificate.fields.emailAddresses.map { NSString(string: $0) }
    unsafe emailAddresses.pointee = NSArray(array: addresses)
    return errSecSuccess
}

/// The subject's public key.
/// - Returns: Nil for a malformed key, and for a key that is neither RSA nor on a curve that
///   ``SecKeyCreateWithData(_:_:_:)`` accepts.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    certificate.fields.publicKey.key
}

/// When a certificate becomes valid.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.fields.notBefore)
}

/// The last second at which a certificate is valid.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.fields.notAfter)
}
