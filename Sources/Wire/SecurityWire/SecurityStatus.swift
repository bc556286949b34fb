// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Apple's status codes (`OSStatus`) and their English texts, in one table.
///
/// Source: the numbers are those of Apple's `SecBase.h`. Scripts search for some of the texts, so
///those must not be reworded.
public enum SecurityStatus {
    /// No error.
    public static let success: Int32 = 0
    /// Function or operation not implemented.
    public static let unimplemented: Int32 = -4
    /// The disk is full.
    public static let diskFull: Int32 = -34
    /// I/O error.
    public static let io: Int32 = -36
    /// The file is already open with write permission.
    public static let opWr: Int32 = -49
    /// One or more parameters passed to a function were not valid.
    public static let param: Int32 = -50
    /// Write permission is missing.
    public static let wrPerm: Int32 = -61
    /// Failed to allocate memory.
    public static let allocate: Int32 = -108
    /// User canceled the operation.
    public static let userCanceled: Int32 = -128
    /// Bad parameter or invalid state for the operation.
    public static let badReq: Int32 = -909
    /// An internal component failed.
    public static let internalComponent: Int32 = -2070
    /// An unknown Core Foundation error occurred.
    public static let coreFoundationUnknown: Int32 = -4960
    /// The access control list is not in standard simple form.
    public static let aclNotSimple: Int32 = -25240
    /// The specified policy cannot be found.
    public static let policyNotFound: Int32 = -25241
    /// The specified trust setting is invalid.
    public static let invalidTrustSetting: Int32 = -25242
    /// The specified item has no access control.
    public static let noAccessForItem: Int32 = -25243
    /// Invalid attempt to change the owner of this item.
    public static let invalidOwnerEdit: Int32 = -25244
    /// No trust results are available.
    public static let trustNotAvailable: Int32 = -25245
    /// The record was modified.
    public static let recordModified: Int32 = -67638
    /// The data has an unsupported format.
    public static let unsupportedFormat: Int32 = -25256
    /// The data has an unknown format.
    public static let unknownFormat: Int32 = -25257
    /// The key must be wrapped to be exported.
    public static let keyIsSensitive: Int32 = -25258
    /// An attempt was made to import more than one private key.
    public static let multiplePrivKeys: Int32 = -25259
    /// A passphrase is required for import or export.
    public static let passphraseRequired: Int32 = -25260
    /// The password reference was invalid.
    public static let invalidPasswordRef: Int32 = -25261
    /// The trust settings record was corrupted.
    public static let invalidTrustSettings: Int32 = -25262
    /// No Trust Settings were found.
    public static let noTrustSettings: Int32 = -25263
    /// MAC verification failed during PKCS12 import (wrong password?)
    public static let pkcs12VerifyFailure: Int32 = -25264
    /// No keychain is available. The keychain service may not be running.
    public static let notAvailable: Int32 = -25291
    /// This keychain cannot be modified.
    public static let readOnly: Int32 = -25292
    /// The user name or passphrase you entered is not correct.
    public static let authFailed: Int32 = -25293
    /// The specified keychain could not be found.
    public static let noSuchKeychain: Int32 = -25294
    /// The specified keychain is not a valid keychain file.
    public static let invalidKeychain: Int32 = -25295
    /// A keychain with the same name already exists.
    public static let duplicateKeychain: Int32 = -25296
    /// The specified callback function is already installed.
    public static let duplicateCallback: Int32 = -25297
    /// The specified callback function is not valid.
    public static let invalidCallback: Int32 = -25298
    /// The specified item already exists in the keychain.
    public static let duplicateItem: Int32 = -25299
    /// The specified item could not be found in the keychain.
    public static let itemNotFound: Int32 = -25300
    /// There is not enough memory available to use the specified item.
    public static let bufferTooSmall: Int32 = -25301
    /// This item contains information which is too large.
    public static let dataTooLarge: Int32 = -25302
    /// The specified attribute does not exist.
    public static let noSuchAttr: Int32 = -25303
    /// The specified item is no longer valid. It may have been deleted from the keychain.
    public static let invalidItemRef: Int32 = -25304
    /// Unable to search the current keychain.
    public static let invalidSearchRef: Int32 = -25305
    /// The specified item does not appear to be a valid keychain item.
    public static let noSuchClass: Int32 = -25306
    /// A default keychain could not be found.
    public static let noDefaultKeychain: Int32 = -25307
    /// User interaction is not allowed.
    public static let interactionNotAllowed: Int32 = -25308
    /// The specified attribute could not be modified.
    public static let readOnlyAttr: Int32 = -25309
    /// This keychain was made by a newer version and cannot be opened.
    public static let wrongSecVersion: Int32 = -25310
    /// The size of the key is not allowed.
    public static let keySizeNotAllowed: Int32 = -25311
    /// A required storage component is missing.
    public static let noStorageModule: Int32 = -25312
    /// A required certificate component is missing.
    public static let noCertificateModule: Int32 = -25313
    /// A required policy component is missing.
    public static let noPolicyModule: Int32 = -25314
    /// User interaction is required.
    public static let interactionRequired: Int32 = -25315
    /// The contents of this item cannot be retrieved.
    public static let dataNotAvailable: Int32 = -25316
    /// The contents of this item cannot be modified.
    public static let dataNotModifiable: Int32 = -25317
    /// One or more certificates required to validate this certificate cannot be found.
    public static let createChainFailed: Int32 = -25318
    /// The specified preferences domain is not valid.
    public static let invalidPrefsDomain: Int32 = -25319
    /// User interaction is not possible in dark wake.
    public static let inDarkWake: Int32 = -25320
    /// The certificate is not signed by its proposed parent.
    public static let notSigner: Int32 = -26267
    /// The policy denies it.
    public static let policyDenied: Int32 = -26270
    /// Unable to decode the provided data.
    public static let decode: Int32 = -26275
    /// An internal error occurred.
    public static let `internal`: Int32 = -26276
    /// A required entitlement isn't present.
    public static let missingEntitlement: Int32 = -34018
    /// The keychain is being upgraded and is locked.
    public static let upgradePending: Int32 = -34019
    /// The client is restricted and is not permitted to perform this operation.
    public static let restrictedAPI: Int32 = -34020
    /// The authorization was denied.
    public static let authorizationDenied: Int32 = -60005
    /// The authorization was canceled by the user.
    public static let authorizationCanceled: Int32 = -60006
    /// The authorization was denied since no user interaction was possible.
    public static let authorizationInteractionNotAllowed: Int32 = -60007

    /// The meaning of a status, in one English sentence. A status that is not in the table gives
    /// `OSStatus` and its number; one that contains an `errno` (from 100000) gives the system's
    /// text.
    public static func message(for status: Int32) -> String {
        if let text = texts[status] { return text }
        let index = Int(firstOfModules) - Int(status)
        if modules.indices.contains(index) { return sentence(modules[index]) }
        if (100_001..<100_200).contains(status), let text = unsafe strerror(status - 100_000) {
            return unsafe "UNIX[\(String(cString: text))]"
        }
        return "OSStatus \(status)"
    }

    /// Apple's name of a status without `errSec`, for logs; nil if it isn't in the table.
    public static func name(ofModuleStatus status: Int32) -> String? {
        let index = Int(firstOfModules) - Int(status)
        return modules.indices.contains(index) ? String(modules[index]) : nil
    }

    /// "InvalidCRLIndex" as "Invalid CRL index.": consecutive capitals are one word.
    private static func sentence(_ name: Substring) -> String {
        let letters = Array(name)
        var words: [String] = []
        for (index, letter) in letters.enumerated() {
            let startsWord =
                index == 0
                || letter.isUppercase
                    && (!letters[index - 1].isUppercase
                        || (index + 1 < letters.count && letters[index + 1].isLowercase))
            if startsWord { words.append("") }
            words[words.count - 1].append(letter)
        }
        let rest = words.dropFirst().map { word in
            word.dropFirst().contains(where: \.isLowercase) ? word.lowercased() : word
        }
        return ([words[0]] + rest).joined(separator: " ") + "."
    }

    // MARK: - Tables

    private static let texts: [Int32: String] = [
        success: "No error.",
        unimplemented: "Function or operation not implemented.",
        diskFull: "The disk is full.",
        io: "I/O error.",
        opWr: "The file is already open with write permission.",
        param: "One or more parameters passed to a function were not valid.",
        wrPerm: "Write permission is missing.",
        allocate: "Failed to allocate memory.",
        userCanceled: "User canceled the operation.",
        badReq: "Bad parameter or invalid state for the operation.",
        internalComponent: "An internal component failed.",
        coreFoundationUnknown: "An unknown Core Foundation error occurred.",
        aclNotSimple: "The access control list is not in standard simple form.",
        policyNotFound: "The specified policy cannot be found.",
        invalidTrustSetting: "The specified trust setting is invalid.",
        noAccessForItem: "The specified item has no access control.",
        invalidOwnerEdit: "Invalid attempt to change the owner of this item.",
        trustNotAvailable: "No trust results are available.",
        unsupportedFormat: "The data has an unsupported format.",
        unknownFormat: "The data has an unknown format.",
        keyIsSensitive: "The key must be wrapped to be exported.",
        multiplePrivKeys: "An attempt was made to import more than one private key.",
        passphraseRequired: "A passphrase is required for import or export.",
        invalidPasswordRef: "The password reference was invalid.",
        invalidTrustSettings: "The trust settings record was corrupted.",
        noTrustSettings: "No Trust Settings were found.",
        pkcs12VerifyFailure: "MAC verification failed during PKCS12 import (wrong password?)",
        notAvailable: "No keychain is available. The keychain service may not be running.",
        readOnly: "This keychain cannot be modified.",
        authFailed: "The user name or passphrase you entered is not correct.",
        noSuchKeychain: "The specified keychain could not be found.",
        invalidKeychain: "The specified keychain is not a valid keychain file.",
        duplicateKeychain: "A keychain with the same name already exists.",
        duplicateCallback: "The specified callback function is already installed.",
        invalidCallback: "The specified callback function is not valid.",
        duplicateItem: "The specified item already exists in the keychain.",
        itemNotFound: "The specified item could not be found in the keychain.",
        bufferTooSmall: "There is not enough memory available to use the specified item.",
        dataTooLarge: "This item contains information which is too large.",
        noSuchAttr: "The specified attribute does not exist.",
        invalidItemRef:
            "The specified item is no longer valid. It may have been deleted from the keychain.",
        invalidSearchRef: "Unable to search the current keychain.",
        noSuchClass: "The specified item does not appear to be a valid keychain item.",
        noDefaultKeychain: "A default keychain could not be found.",
        interactionNotAllowed: "User interaction is not allowed.",
        readOnlyAttr: "The specified attribute could not be modified.",
        wrongSecVersion: "This keychain was made by a newer version and cannot be opened.",
        keySizeNotAllowed: "The size of the key is not allowed.",
        noStorageModule: "A required storage component is missing.",
        noCertificateModule: "A required certificate component is missing.",
        noPolicyModule: "A required policy component is missing.",
        interactionRequired: "User interaction is required.",
        dataNotAvailable: "The contents of this item cannot be retrieved.",
        dataNotModifiable: "The contents of this item cannot be modified.",
        createChainFailed:
            "One or more certificates required to validate this certificate cannot be found.",
        invalidPrefsDomain: "The specified preferences domain is not valid.",
        inDarkWake: "User interaction is not possible in dark wake.",
        notSigner: "The certificate is not signed by its proposed parent.",
        policyDenied: "The policy denies it.",
        decode: "Unable to decode the provided data.",
        `internal`: "An internal error occurred.",
        missingEntitlement: "A required entitlement isn't present.",
        upgradePending: "The keychain is being upgraded and is locked.",
        restrictedAPI: "The client is restricted and is not permitted to perform this operation.",
        authorizationDenied: "The authorization was denied.",
        authorizationCanceled: "The authorization was canceled by the user.",
        authorizationInteractionNotAllowed:
            "The authorization was denied since no user interaction was possible.",
    ]

    /// Codes of the certificate, trust, code-signing and module layers have no gaps: the name at
    /// index n is `firstOfModules - n`.
    private static let firstOfModules: Int32 = -67585
    private static let modules = moduleNames.split(whereSeparator: \.isWhitespace)
    private static let moduleNames = """
        ServiceNotAvailable InsufficientClientID DeviceReset DeviceFailed AppleAddAppACLSubject
        ApplePublicKeyIncomplete AppleSignatureMismatch AppleInvalidKeyStartDate
        AppleInvalidKeyEndDate ConversionError AppleSSLv2Rollback QuotaExceeded FileTooBig
        InvalidDatabaseBlob InvalidKeyBlob IncompatibleDatabaseBlob IncompatibleKeyBlob
        HostNameMismatch UnknownCriticalExtensionFlag NoBasicConstraints NoBasicConstraintsCA
        InvalidAuthorityKeyID InvalidSubjectKeyID InvalidKeyUsageForPolicy InvalidExtendedKeyUsage
        InvalidIDLinkage PathLengthConstraintExceeded InvalidRoot CRLExpired CRLNotValidYet
        CRLNotFound CRLServerDown CRLBadURI UnknownCertExtension UnknownCRLExtension CRLNotTrusted
        CRLPolicyFailed IDPFailure SMIMEEmailAddressesNotFound SMIMEBadExtendedKeyUsage
        SMIMEBadKeyUsage SMIMEKeyUsageNotCritical SMIMENoEmailAddress SMIMESubjAltNameNotCritical
        SSLBadExtendedKeyUsage OCSPBadResponse OCSPBadRequest OCSPUnavailable
        OCSPStatusUnrecognized EndOfData IncompleteCertRevocationCheck NetworkFailure
        OCSPNotTrustedToAnchor RecordModified OCSPSignatureError OCSPNoSigner
        OCSPResponderMalformedReq OCSPResponderInternalError OCSPResponderTryLater
        OCSPResponderSignatureRequired OCSPResponderUnauthorized OCSPResponseNonceMismatch
        CodeSigningBadCertChainLength CodeSigningNoBasicConstraints
        CodeSigningBadPathLengthConstraint CodeSigningNoExtendedKeyUsage CodeSigningDevelopment
        ResourceSignBadCertChainLength ResourceSignBadExtKeyUsage TrustSettingDeny
        InvalidSubjectName UnknownQualifiedCertStatement MobileMeRequestQueued
        MobileMeRequestRedirected MobileMeServerError MobileMeServerNotAvailable
        MobileMeServerAlreadyExists MobileMeServerServiceErr MobileMeRequestAlreadyPending
        MobileMeNoRequestPending MobileMeCSRVerifyFailure MobileMeFailedConsistencyCheck
        NotInitialized InvalidHandleUsage PVCReferentNotFound FunctionIntegrityFail InternalError
        MemoryError InvalidData MDSError InvalidPointer SelfCheckFailed FunctionFailed
        ModuleManifestVerifyFailed InvalidGUID InvalidHandle InvalidDBList InvalidPassthroughID
        InvalidNetworkAddress CRLAlreadySigned InvalidNumberOfFields VerificationFailure UnknownTag
        InvalidSignature InvalidName InvalidCertificateRef InvalidCertificateGroup TagNotFound
        InvalidQuery InvalidValue CallbackFailed ACLDeleteFailed ACLReplaceFailed ACLAddFailed
        ACLChangeFailed InvalidAccessCredentials InvalidRecord InvalidACL InvalidSampleValue
        IncompatibleVersion PrivilegeNotGranted InvalidScope PVCAlreadyConfigured InvalidPVC
        EMMLoadFailed EMMUnloadFailed AddinLoadFailed InvalidKeyRef InvalidKeyHierarchy
        AddinUnloadFailed LibraryReferenceNotFound InvalidAddinFunctionTable InvalidServiceMask
        ModuleNotLoaded InvalidSubServiceID AttributeNotInContext ModuleManagerInitializeFailed
        ModuleManagerNotFound EventNotificationCallbackNotFound InputLengthError OutputLengthError
        PrivilegeNotSupported DeviceError AttachHandleBusy NotLoggedIn AlgorithmMismatch
        KeyUsageIncorrect KeyBlobTypeIncorrect KeyHeaderInconsistent UnsupportedKeyFormat
        UnsupportedKeySize InvalidKeyUsageMask UnsupportedKeyUsageMask InvalidKeyAttributeMask
        UnsupportedKeyAttributeMask InvalidKeyLabel UnsupportedKeyLabel InvalidKeyFormat
        UnsupportedVectorOfBuffers InvalidInputVector InvalidOutputVector InvalidContext
        InvalidAlgorithm InvalidAttributeKey MissingAttributeKey InvalidAttributeInitVector
        MissingAttributeInitVector InvalidAttributeSalt MissingAttributeSalt
        InvalidAttributePadding MissingAttributePadding InvalidAttributeRandom
        MissingAttributeRandom InvalidAttributeSeed MissingAttributeSeed InvalidAttributePassphrase
        MissingAttributePassphrase InvalidAttributeKeyLength MissingAttributeKeyLength
        InvalidAttributeBlockSize MissingAttributeBlockSize InvalidAttributeOutputSize
        MissingAttributeOutputSize InvalidAttributeRounds MissingAttributeRounds
        InvalidAlgorithmParms MissingAlgorithmParms InvalidAttributeLabel MissingAttributeLabel
        InvalidAttributeKeyType MissingAttributeKeyType InvalidAttributeMode MissingAttributeMode
        InvalidAttributeEffectiveBits MissingAttributeEffectiveBits InvalidAttributeStartDate
        MissingAttributeStartDate InvalidAttributeEndDate MissingAttributeEndDate
        InvalidAttributeVersion MissingAttributeVersion InvalidAttributePrime MissingAttributePrime
        InvalidAttributeBase MissingAttributeBase InvalidAttributeSubprime MissingAttributeSubprime
        InvalidAttributeIterationCount MissingAttributeIterationCount InvalidAttributeDLDBHandle
        MissingAttributeDLDBHandle InvalidAttributeAccessCredentials
        MissingAttributeAccessCredentials InvalidAttributePublicKeyFormat
        MissingAttributePublicKeyFormat InvalidAttributePrivateKeyFormat
        MissingAttributePrivateKeyFormat InvalidAttributeSymmetricKeyFormat
        MissingAttributeSymmetricKeyFormat InvalidAttributeWrappedKeyFormat
        MissingAttributeWrappedKeyFormat StagedOperationInProgress StagedOperationNotStarted
        VerifyFailed QuerySizeUnknown BlockSizeMismatch PublicKeyInconsistent DeviceVerifyFailed
        InvalidLoginName AlreadyLoggedIn InvalidDigestAlgorithm InvalidCRLGroup
        CertificateCannotOperate CertificateExpired CertificateNotValidYet CertificateRevoked
        CertificateSuspended InsufficientCredentials InvalidAction InvalidAuthority
        VerifyActionFailed InvalidCertAuthority InvalidCRLAuthority InvalidCRLEncoding
        InvalidCRLType InvalidCRL InvalidFormType InvalidID InvalidIdentifier InvalidIndex
        InvalidPolicyIdentifiers InvalidTimeString InvalidReason InvalidRequestInputs
        InvalidResponseVector InvalidStopOnPolicy InvalidTuple MultipleValuesUnsupported NotTrusted
        NoDefaultAuthority RejectedForm RequestLost RequestRejected UnsupportedAddressType
        UnsupportedService InvalidTupleGroup InvalidBaseACLs InvalidTupleCredentials
        InvalidEncoding InvalidValidityPeriod InvalidRequestor RequestDescriptor InvalidBundleInfo
        InvalidCRLIndex NoFieldValues UnsupportedFieldFormat UnsupportedIndexInfo
        UnsupportedLocality UnsupportedNumAttributes UnsupportedNumIndexes
        UnsupportedNumRecordTypes FieldSpecifiedMultiple IncompatibleFieldFormat
        InvalidParsingModule DatabaseLocked DatastoreIsOpen MissingValue UnsupportedQueryLimits
        UnsupportedNumSelectionPreds UnsupportedOperator InvalidDBLocation InvalidAccessRequest
        InvalidIndexInfo InvalidNewOwner InvalidModifyMode MissingRequiredExtension
        ExtendedKeyUsageNotCritical TimestampMissing TimestampInvalid TimestampNotTrusted
        TimestampServiceNotAvailable TimestampBadAlg TimestampBadRequest TimestampBadDataFormat
        TimestampTimeNotAvailable TimestampUnacceptedPolicy TimestampUnacceptedExtension
        TimestampAddInfoNotAvailable TimestampSystemFailure SigningTimeMissing TimestampRejection
        TimestampWaiting TimestampRevocationWarning TimestampRevocationNotification
        CertificatePolicyNotAllowed CertificateNameNotAllowed CertificateValidityPeriodTooLong
        CertificateIsCA CertificateDuplicateExtension MissingQualifiedCertStatement
        """
}
