// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Numbers of passwords. Source: Apple's `SecKeychain.h` and `SecKeychainItem.h`, under the names that Swift
// gives them.

/// The protocol of an internet password.
public enum SecProtocolType: FourCharCode, Sendable {
    /// FTP.
    case FTP = 0x6674_7020
    /// FTP, with an account.
    case ftpAccount = 0x6674_7061
    /// HTTP.
    case HTTP = 0x6874_7470
    /// IRC.
    case IRC = 0x6972_6320
    /// NNTP.
    case NNTP = 0x6e6e_7470
    /// POP3.
    case POP3 = 0x706f_7033
    /// SMTP.
    case SMTP = 0x736d_7470
    /// SOCKS.
    case SOCKS = 0x736f_7820
    /// IMAP.
    case IMAP = 0x696d_6170
    /// LDAP.
    case LDAP = 0x6c64_6170
    /// AFP over AppleTalk.
    case appleTalk = 0x6174_6c6b
    /// AFP over TCP.
    case AFP = 0x6166_7020
    /// Telnet.
    case telnet = 0x7465_6c6e
    /// SSH.
    case SSH = 0x7373_6820
    /// FTP over TLS.
    case FTPS = 0x6674_7073
    /// HTTP over TLS.
    case HTTPS = 0x6874_7073
    /// A proxy for HTTP.
    case httpProxy = 0x6874_7078
    /// A proxy for HTTP over TLS.
    case httpsProxy = 0x6874_7378
    /// A proxy for FTP.
    case ftpProxy = 0x6674_7078
    /// CIFS.
    case CIFS = 0x6369_6673
    /// SMB.
    case SMB = 0x736d_6220
    /// RTSP.
    case RTSP = 0x7274_7370
    /// A proxy for RTSP.
    case rtspProxy = 0x7274_7378
    /// DAAP.
    case DAAP = 0x6461_6170
    /// Apple events.
    case EPPC = 0x6570_7063
    /// IPP.
    case IPP = 0x6970_7020
    /// NNTP over TLS.
    case NNTPS = 0x6e74_7073
    /// LDAP over TLS.
    case LDAPS = 0x6c64_7073
    /// Telnet over TLS.
    case telnetS = 0x7465_6c73
    /// IMAP over TLS.
    case IMAPS = 0x696d_7073
    /// IRC over TLS.
    case IRCS = 0x6972_6373
    /// POP3 over TLS.
    case POP3S = 0x706f_7073
    /// CVS's server.
    case cvSpserver = 0x6376_7370
    /// Subversion.
    case SVN = 0x7376_6e20
    /// In a search: any.
    case any = 0
}

/// The authentication of an internet password.
public enum SecAuthenticationType: FourCharCode, Sendable {
    /// NTLM.
    case NTLM = 0x6e74_6c6d
    /// MSN.
    case MSN = 0x6d73_6e61
    /// Distributed Password.
    case DPA = 0x6470_6161
    /// Remote Password.
    case RPA = 0x7270_6161
    /// HTTP's basic authentication.
    case httpBasic = 0x6874_7470
    /// HTTP's digest authentication.
    case httpDigest = 0x6874_7464
    /// A form on a page.
    case htmlForm = 0x666f_726d
    /// The usual one.
    case `default` = 0x6466_6c74
    /// In a search: any.
    case any = 0
}

/// The class of an item.
public struct SecItemClass: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: FourCharCode

    /// The class of a number.
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }

    /// An internet password.
    public static let internetPasswordItemClass = SecItemClass(rawValue: 0x696e_6574)
    /// A generic password.
    public static let genericPasswordItemClass = SecItemClass(rawValue: 0x6765_6e70)
    /// A password of AppleShare; no item has it.
    public static let appleSharePasswordItemClass = SecItemClass(rawValue: 0x6173_6870)
    /// A certificate.
    public static let certificateItemClass = SecItemClass(rawValue: 0x8000_1000)
    /// A public key.
    public static let publicKeyItemClass = SecItemClass(rawValue: 0xf)
    /// A private key.
    public static let privateKeyItemClass = SecItemClass(rawValue: 0x10)
    /// A symmetric key.
    public static let symmetricKeyItemClass = SecItemClass(rawValue: 0x11)
}

/// An attribute of an item.
public enum SecItemAttr: FourCharCode, Sendable {
    /// When it was made: 16 bytes, `YYYYMMDDHHMMSSZ` and a zero.
    case creationDateItemAttr = 0x6364_6174
    /// When it was changed, likewise.
    case modDateItemAttr = 0x6d64_6174
    /// The kind.
    case descriptionItemAttr = 0x6465_7363
    /// The comment.
    case commentItemAttr = 0x6963_6d74
    /// Four characters of the program that made it.
    case creatorItemAttr = 0x6372_7472
    /// Four characters of its type.
    case typeItemAttr = 0x7479_7065
    /// The script of its texts.
    case scriptCodeItemAttr = 0x7363_7270
    /// The name that people see.
    case labelItemAttr = 0x6c61_626c
    /// Whether it is hidden: 4 bytes.
    case invisibleItemAttr = 0x696e_7669
    /// Whether it has no valid password: 4 bytes.
    case negativeItemAttr = 0x6e65_6761
    /// Whether it has an icon of its own: 4 bytes.
    case customIconItemAttr = 0x6375_7369
    /// The account.
    case accountItemAttr = 0x6163_6374
    /// The service.
    case serviceItemAttr = 0x7376_6365
    /// Bytes of the program.
    case genericItemAttr = 0x6765_6e61
    /// The security domain.
    case securityDomainItemAttr = 0x7364_6d6e
    /// The server.
    case serverItemAttr = 0x7372_7672
    /// The authentication: 4 bytes.
    case authenticationTypeItemAttr = 0x6174_7970
    /// The port: 4 bytes.
    case portItemAttr = 0x706f_7274
    /// The path.
    case pathItemAttr = 0x7061_7468
    /// Of AppleShare: no item has it.
    case volumeItemAttr = 0x766c_6d65
    /// Of AppleShare: no item has it.
    case addressItemAttr = 0x6164_6472
    /// Of AppleShare: no item has it.
    case signatureItemAttr = 0x7373_6967
    /// The protocol: 4 bytes.
    case protocolItemAttr = 0x7074_636c
}

/// The number of an attribute.
public typealias SecKeychainAttrType = OSType

/// An attribute of an item, and its bytes.
@unsafe public struct SecKeychainAttribute {
    /// The attribute: a ``SecItemAttr``.
    public var tag: SecKeychainAttrType
    /// The byte count.
    public var length: UInt32
    /// The bytes.
    public var data: UnsafeMutableRawPointer?

    /// Combines the parts.
    public init(tag: SecKeychainAttrType, length: UInt32, data: UnsafeMutableRawPointer?) {
        unsafe self.tag = tag
        unsafe self.length = length
        unsafe self.data = data
    }
}

/// Attributes of an item.
@unsafe public struct SecKeychainAttributeList {
    /// How many.
    public var count: UInt32
    /// The first.
    public var attr: UnsafeMutablePointer<SecKeychainAttribute>?

    /// Combines the parts.
    public init(count: UInt32, attr: UnsafeMutablePointer<SecKeychainAttribute>?) {
        unsafe self.count = count
        unsafe self.attr = attr
    }
}
