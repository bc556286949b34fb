// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecretBytes
import TranscodingWire

// Formats of other programs, which a process of its own reads and writes. An import here stores nothing.

/// Writes objects in a format of other programs.
/// - Parameters:
///   - secItemOrArray: A `SecKey`, `SecCertificate` or `SecIdentity`, or an array of them.
///   - outputFormat: The format; `formatUnknown` is the usual one: OpenSSL's of a key, the bytes of a
///     symmetric key, DER of a certificate, a sequence of PEM for several.
///   - flags: Whether DER is put into PEM.
///   - keyParams: The passphrase, for PKCS #12 and encrypted PKCS #8.
///   - exportedData: Set to the bytes; left alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecPassphraseRequired`; `errSecDataNotAvailable` for a key that isn't
///   extractable or is the enclave's; `errSecUnsupportedFormat` for a format that isn't written, or
///   can't have these objects; `errSecParam` for other objects; `errSecNotAvailable` when no service
///   answers.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    let passphrase = unsafe keyParams?.pointee.passphrase?.takeUnretainedValue()
    return unsafe exported(
        secItemOrArray, outputFormat, flags, Secret(passphrase: passphrase), exportedData)
}

/// Reads objects in a format of other programs. Nothing is stored.
/// - Parameters:
///   - importedData: The bytes.
///   - fileNameOrExtension: Ignored: the format is found by looking.
///   - inputFormat: The expected format, `formatUnknown` for any; set to the format that it has.
///   - itemType: The expected type, `itemTypeUnknown` for any; set to the type that it has.
///   - flags: Ignored: PEM is found by looking.
///   - keyParams: The passphrase; `importOnlyOne`; attributes: without any, keys are extractable.
///   - importKeychain: Nil; a keychain: `errSecUnimplemented`, and nothing is read.
///   - outItems: Set to the objects, in their order; the pairs of a PKCS #12 file are identities. Left
///     alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecPassphraseRequired`; `errSecPkcs12VerifyFailure` for a wrong
///   passphrase; `errSecUnknownFormat` for data of no known format, or of another one than expected;
///   `errSecMultiplePrivKeys` when only one was expected; `errSecUnsupportedFormat` for algorithms that
///   aren't supported and for an encrypted key of OpenSSH, whose passphrase `ssh-keygen -p` removes;
///   `errSecDecode` for more than 10⁷ rounds of key derivation; `errSecNotAvailable` when no service
///   answers.
@discardableResult
public func SecItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ importKeychain: SecKeychain?, _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    guard importKeychain == nil else { return errSecUnimplemented }
    var parameters = ImportParameters()
    if let keyParams = unsafe keyParams?.pointee {
        parameters.flags = unsafe keyParams.flags
        parameters.passphrase = unsafe Secret(
            passphrase: keyParams.passphrase?.takeUnretainedValue())
        if let attributes = unsafe keyParams.keyAttributes?.takeUnretainedValue() {
            parameters.areExtractable = attributes.contains(kSecAttrIsExtractable)
        }
    }
    return unsafe imported(importedData, inputFormat, itemType, parameters, outItems)
}

/// The older form of ``SecItemExport(_:_:_:_:_:)``.
/// - Returns: The same.
@discardableResult
public func SecKeychainItemExport(
    _ keychainItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    let passphrase = unsafe keyParams?.pointee.passphrase?.takeUnretainedValue()
    return unsafe exported(
        keychainItemOrArray, outputFormat, flags, Secret(passphrase: passphrase), exportedData)
}

/// The older form of ``SecItemImport(_:_:_:_:_:_:_:_:)``.
/// - Returns: The same.
@discardableResult
public func SecKeychainItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ importKeychain: SecKeychain?, _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    guard importKeychain == nil else { return errSecUnimplemented }
    var parameters = ImportParameters()
    if let keyParams = unsafe keyParams?.pointee {
        parameters.flags = unsafe keyParams.flags
        parameters.passphrase = unsafe Secret(
            passphrase: keyParams.passphrase?.takeUnretainedValue())
        // CSSM_KEYATTR_EXTRACTABLE; 0 stands for the usual attributes.
        let attributes = unsafe keyParams.keyAttributes
        parameters.areExtractable = attributes == 0 || attributes & 0x20 != 0
    }
    return unsafe imported(importedData, inputFormat, itemType, parameters, outItems)
}

// MARK: - Import

private struct ImportParameters {
    var flags: SecKeyImportExportFlags = []
    var passphrase: Secret?
    var areExtractable = true
}

private func imported(
    _ data: CFData, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ parameters: ImportParameters,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    let wanted = unsafe itemType?.pointee ?? .itemTypeUnknown
    let expected = unsafe inputFormat?.pointee ?? .formatUnknown
    // BSAFE's and LSH's have no reader.
    guard let format = CodingFormat(rawValue: UInt8(clamping: expected.rawValue)) else {
        return errSecUnsupportedFormat
    }
    var reading = TranscodingRequest.Reading(
        Secret(copying: data), format: format, passphrase: parameters.passphrase)
    reading.isSymmetric = wanted == .itemTypeSessionKey
    do throws(ImportExportFailure) {
        let file = try ImportedFile(reading, areExtractable: parameters.areExtractable)
        let type = try foundType(file.objects, wanted: wanted)
        let keyCount = file.objects.count { $0.kind == .privateKey }
        if parameters.flags.contains(.importOnlyOne), keyCount > 1 {
            throw ImportExportFailure(errSecMultiplePrivKeys)
        }
        if let format = SecExternalFormat(rawValue: UInt32(file.format.rawValue)) {
            unsafe inputFormat?.pointee = format
        }
        unsafe itemType?.pointee = type
        unsafe outItems?.pointee = items(of: file)
        return errSecSuccess
    } catch { return error.status }
}

private func foundType(
    _ objects: [TranscodedObject], wanted: SecExternalItemType
) throws(ImportExportFailure) -> SecExternalItemType {
    let types = objects.map { object -> SecExternalItemType in
        switch object.kind {
        case .certificate: .itemTypeCertificate
        case .privateKey: .itemTypePrivateKey
        case .publicKey: .itemTypePublicKey
        case .symmetricKey: .itemTypeSessionKey
        }
    }
    guard [.itemTypeUnknown, .itemTypeAggregate].contains(wanted) || types.contains(wanted) else {
        throw ImportExportFailure(errSecUnknownFormat)
    }
    guard let first = types.first, types.count == 1 else { return .itemTypeAggregate }
    return first
}

private func items(of file: ImportedFile) -> NSArray {
    var items: [Any] = []
    var inIdentities: Set<SecCertificate> = []
    var usedKeys: Set<SecKey> = []
    if file.format == .pkcs12 {
        for entry in file.identities {
            items.append(entry.identity)
            inIdentities.insert(entry.identity.certificate)
            usedKeys.insert(entry.identity.key)
        }
    }
    var certificates = file.certificates.makeIterator()
    var keys = file.keys.makeIterator()
    for object in file.objects {
        if object.kind == .certificate {
            guard let next = certificates.next()?.certificate else { continue }
            if !inIdentities.contains(next) { items.append(next) }
        } else {
            guard let next = keys.next()?.key else { continue }
            if !usedKeys.contains(next) { items.append(next) }
        }
    }
    return NSArray(array: items)
}

// MARK: - Export

private func exported(
    _ itemOrArray: CFTypeRef, _ format: SecExternalFormat, _ flags: SecItemImportExportFlags,
    _ passphrase: Secret?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    guard let wanted = CodingFormat(rawValue: UInt8(clamping: format.rawValue)) else {
        return errSecUnsupportedFormat
    }
    do throws(ImportExportFailure) {
        let objects = try transcoded(itemOrArray)
        var writing = TranscodingRequest.Writing(
            objects, format: wanted == .unknown ? usualFormat(of: objects) : wanted,
            isText: flags.contains(.pemArmour), passphrase: passphrase)
        // A sequence without a passphrase has its keys in clear.
        if writing.format == .pemSequence { writing.passphrase = nil }
        unsafe exportedData.pointee = try written(writing)
        return errSecSuccess
    } catch { return error.status }
}

private func usualFormat(of objects: [TranscodedObject]) -> CodingFormat {
    guard objects.count == 1, let first = objects.first else { return .pemSequence }
    return switch first.kind {
    case .certificate: .x509
    case .privateKey, .publicKey: .openSSL
    case .symmetricKey: .raw
    }
}

private func transcoded(
    _ itemOrArray: CFTypeRef
) throws(ImportExportFailure) -> [TranscodedObject] {
    var objects: [TranscodedObject] = []
    for item in (itemOrArray as? NSArray).map({ Array($0) }) ?? [itemOrArray] {
        switch item {
        case let certificate as SecCertificate: objects.append(TranscodedObject(certificate))
        case let key as SecKey: objects.append(try TranscodedObject(key))
        case let identity as SecIdentity:
            // The digest relates the two in a PKCS #12 file.
            var certificate = TranscodedObject(identity.certificate)
            certificate.keyID = identity.certificate.fields.publicKeyHash
            var key = try TranscodedObject(identity.key)
            key.keyID = certificate.keyID
            key.label = certificate.label
            objects += [certificate, key]
        default: throw ImportExportFailure(errSecParam)
        }
    }
    guard !objects.isEmpty else { throw ImportExportFailure(errSecParam) }
    return objects
}

private func written(
    _ writing: TranscodingRequest.Writing
) throws(ImportExportFailure) -> CFData {
    let reply: TranscodingReply
    do throws(KeychainError) { reply = try processConnection.transcode(.write(writing)) } catch {
        throw ImportExportFailure(error.status)
    }
    switch reply {
    case .file(let bytes): return WipedData(bytes)
    case .failed(let failure): throw ImportExportFailure(failure.status)
    case .objects: throw ImportExportFailure(errSecInternalComponent)
    }
}
