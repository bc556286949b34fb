// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// An X.509 certificate, as its DER bytes.
///
/// Nothing of the content is looked at yet: it is known to be one DER SEQUENCE and no more.
public final class SecCertificate: NSObject, Sendable {
    let encoded: Data

    fileprivate init(_ encoded: Data) { self.encoded = encoded }

    /// Whether both are the same bytes.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.encoded == encoded
    }

    /// A digest of the bytes.
    override public var hash: Int { encoded.hashValue }
}

/// Makes a certificate from its DER bytes.
/// - Returns: Nil unless the bytes are one DER SEQUENCE that fills them. That is all that is
///   claimed: the certificate isn't parsed, so a sequence of something else is taken, too.
public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
    let bytes = unsafe Data(bytes: data.bytes, count: data.length)
    return isOneSequence(bytes) ? SecCertificate(bytes) : nil
}

/// The DER bytes of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.encoded as NSData
}

/// The type of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { TypeID.certificate }

/// Whether bytes are a SEQUENCE with a minimal length that ends with them (X.690 §8.1.3, §10.1).
private func isOneSequence(_ bytes: Data) -> Bool {
    var header = bytes.prefix(6).makeIterator()
    guard header.next() == 0x30, let first = header.next() else { return false }
    if first < 0x80 { return bytes.count == 2 + Int(first) }
    let lengthByteCount = Int(first & 0x7f)
    guard (1...4).contains(lengthByteCount) else { return false }
    var length = 0
    for index in 0..<lengthByteCount {
        guard let next = header.next(), index > 0 || next != 0 else { return false }
        length = length << 8 | Int(next)
    }
    return length >= 0x80 && bytes.count == 2 + lengthByteCount + length
}
