// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The result codes of Apple's Secure Transport, which other calls also return. There is no Secure
// Transport here. Source of the numbers: `SecBase.h` and `SecureTransport.h` of macOS.

/// The peer broke the protocol.
public let errSSLProtocol: OSStatus = -9800
/// No cipher suite in common.
public let errSSLNegotiation: OSStatus = -9801
/// A fatal alert was received.
public let errSSLFatalAlert: OSStatus = -9802
/// The input or output would block.
public let errSSLWouldBlock: OSStatus = -9803
/// An unknown session should have been resumed.
public let errSSLSessionNotFound: OSStatus = -9804
/// The connection was closed normally.
public let errSSLClosedGraceful: OSStatus = -9805
/// The connection was closed because of an error.
public let errSSLClosedAbort: OSStatus = -9806
/// The chain of certificates is not valid.
public let errSSLXCertChainInvalid: OSStatus = -9807
/// The form of a certificate is wrong.
public let errSSLBadCert: OSStatus = -9808
/// A cryptographic operation failed.
public let errSSLCrypto: OSStatus = -9809
/// An internal error.
public let errSSLInternal: OSStatus = -9810
/// A module can't be attached.
public let errSSLModuleAttach: OSStatus = -9811
/// The chain is valid, but its root is unknown.
public let errSSLUnknownRootCert: OSStatus = -9812
/// The chain ends in no root.
public let errSSLNoRootCert: OSStatus = -9813
/// A certificate of the chain has expired.
public let errSSLCertExpired: OSStatus = -9814
/// A certificate of the chain is not valid yet.
public let errSSLCertNotYetValid: OSStatus = -9815
/// The peer closed the connection without an announcement.
public let errSSLClosedNoNotify: OSStatus = -9816
/// A buffer is too small.
public let errSSLBufferOverflow: OSStatus = -9817
/// The cipher suite can't be used.
public let errSSLBadCipherSuite: OSStatus = -9818
/// The peer received a message that it didn't expect.
public let errSSLPeerUnexpectedMsg: OSStatus = -9819
/// The peer found a wrong authentication code.
public let errSSLPeerBadRecordMac: OSStatus = -9820
/// The peer couldn't decrypt.
public let errSSLPeerDecryptionFail: OSStatus = -9821
/// The peer found a record too long.
public let errSSLPeerRecordOverflow: OSStatus = -9822
/// The peer couldn't decompress.
public let errSSLPeerDecompressFail: OSStatus = -9823
/// The peer ended the handshake.
public let errSSLPeerHandshakeFail: OSStatus = -9824
/// The peer found a certificate wrong.
public let errSSLPeerBadCert: OSStatus = -9825
/// The peer doesn't support the form of a certificate.
public let errSSLPeerUnsupportedCert: OSStatus = -9826
/// The peer found a certificate revoked.
public let errSSLPeerCertRevoked: OSStatus = -9827
/// The peer found a certificate expired.
public let errSSLPeerCertExpired: OSStatus = -9828
/// The peer doesn't know a certificate.
public let errSSLPeerCertUnknown: OSStatus = -9829
/// A parameter is not legal.
public let errSSLIllegalParam: OSStatus = -9830
/// The peer doesn't know the authority.
public let errSSLPeerUnknownCA: OSStatus = -9831
/// The peer denied access.
public let errSSLPeerAccessDenied: OSStatus = -9832
/// The peer couldn't decode a message.
public let errSSLPeerDecodeError: OSStatus = -9833
/// The peer's cryptography failed.
public let errSSLPeerDecryptError: OSStatus = -9834
/// The peer applies an export restriction.
public let errSSLPeerExportRestriction: OSStatus = -9835
/// The peer doesn't support the version.
public let errSSLPeerProtocolVersion: OSStatus = -9836
/// The peer requires more security.
public let errSSLPeerInsufficientSecurity: OSStatus = -9837
/// The peer had an internal error.
public let errSSLPeerInternalError: OSStatus = -9838
/// The peer's user canceled.
public let errSSLPeerUserCancelled: OSStatus = -9839
/// The peer doesn't renegotiate.
public let errSSLPeerNoRenegotiation: OSStatus = -9840
/// The peer's certificate is ready for evaluation.
public let errSSLPeerAuthCompleted: OSStatus = -9841
/// The server asks for a client's certificate.
public let errSSLClientCertRequested: OSStatus = -9842
/// The certificate has another host's name.
public let errSSLHostNameMismatch: OSStatus = -9843
/// The peer dropped the connection before it answered.
public let errSSLConnectionRefused: OSStatus = -9844
/// A message couldn't be decrypted.
public let errSSLDecryptionFail: OSStatus = -9845
/// The authentication code of a record is wrong.
public let errSSLBadRecordMac: OSStatus = -9846
/// A record is too long.
public let errSSLRecordOverflow: OSStatus = -9847
/// The configuration is wrong.
public let errSSLBadConfiguration: OSStatus = -9848
/// A record was not expected.
public let errSSLUnexpectedRecord: OSStatus = -9849
/// The peer's ephemeral Diffie-Hellman key is weak.
public let errSSLWeakPeerEphemeralDHKey: OSStatus = -9850
/// The client's first message was received.
public let errSSLClientHelloReceived: OSStatus = -9851
/// The transport was reset.
public let errSSLTransportReset: OSStatus = -9852
/// The network took too long.
public let errSSLNetworkTimeout: OSStatus = -9853
/// The configuration failed.
public let errSSLConfigurationFailed: OSStatus = -9854
/// An extension is not supported.
public let errSSLUnsupportedExtension: OSStatus = -9855
/// A message was not expected.
public let errSSLUnexpectedMessage: OSStatus = -9856
/// A message couldn't be decompressed.
public let errSSLDecompressFail: OSStatus = -9857
/// The handshake failed.
public let errSSLHandshakeFail: OSStatus = -9858
/// A message couldn't be decoded.
public let errSSLDecodeError: OSStatus = -9859
/// The client fell back to an older version without need.
public let errSSLInappropriateFallback: OSStatus = -9860
/// An extension is missing.
public let errSSLMissingExtension: OSStatus = -9861
/// The stapled answer on a certificate is wrong.
public let errSSLBadCertificateStatusResponse: OSStatus = -9862
/// A certificate is required.
public let errSSLCertificateRequired: OSStatus = -9863
/// The shared key is not known.
public let errSSLUnknownPSKIdentity: OSStatus = -9864
/// The name is not known.
public let errSSLUnrecognizedName: OSStatus = -9865
/// Application transport security is violated.
public let errSSLATSViolation: OSStatus = -9880
/// The same: the version is too old.
public let errSSLATSMinimumVersionViolation: OSStatus = -9881
/// The same: the cipher suite gives no forward secrecy.
public let errSSLATSCiphersuiteViolation: OSStatus = -9882
/// The same: a key is too short.
public let errSSLATSMinimumKeySizeViolation: OSStatus = -9883
/// The same: the leaf's digest is too weak.
public let errSSLATSLeafCertificateHashAlgorithmViolation: OSStatus = -9884
/// The same: another certificate's digest is too weak.
public let errSSLATSCertificateHashAlgorithmViolation: OSStatus = -9885
/// The same: a certificate is not trusted.
public let errSSLATSCertificateTrustViolation: OSStatus = -9886
/// Early data was rejected.
public let errSSLEarlyDataRejected: OSStatus = -9890
/// The server's certificate is ready for evaluation.
public let errSSLServerAuthCompleted: OSStatus = errSSLPeerAuthCompleted
/// The client's certificate is ready for evaluation.
public let errSSLClientAuthCompleted: OSStatus = errSSLPeerAuthCompleted
