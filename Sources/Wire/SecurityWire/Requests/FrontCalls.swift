// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// A front: a program of ours that serves programs which don't speak this protocol.
package enum FrontName: UInt8, CaseIterable, Sendable {
    /// The Secret Service.
    case secretService = 1

    /// The name of its program, beside that of securityd.
    package var program: String {
        switch self {
        case .secretService: "llavero-secretservice"
        }
    }

    /// Its name in the audit log.
    package var auditName: String {
        switch self {
        case .secretService: "secret-service"
        }
    }
}

/// For whom a channel is.
package enum RepresentedSubject: UInt8, Sendable {
    /// The process of the attached descriptor.
    case process = 1
    /// Nobody: for the front's own records.
    case records = 2
}

/// Who a process is to a front.
package struct Representation: Equatable, Sendable {
    /// Empty is nobody.
    package var owner = ""
    /// Whether it reaches nothing but its own.
    package var isSandboxed = false
    /// Whether every program without a sandbox reaches all secrets.
    package var isIsolationOff = false
    /// The group of new items first.
    package var groups: [String] = []
    /// Why the owner isn't better, for people; only where that was asked for.
    package var reasons: [String] = []

    package init() {}
}

// MARK: - Coding

private enum FrontLayout {
    static let version: UInt8 = 1
    static let isSandboxed: UInt8 = 1
    static let isIsolationOff: UInt8 = 2
}

extension FrontName {
    var encoded: [UInt8] { [FrontLayout.version, rawValue] }

    init(_ content: FrameContent) throws(WireError) {
        self = try unsafe content.numbered(FrontName.init(rawValue:))
    }
}

extension RepresentedSubject {
    var encoded: [UInt8] { [FrontLayout.version, rawValue] }

    init(_ content: FrameContent) throws(WireError) {
        self = try unsafe content.numbered(RepresentedSubject.init(rawValue:))
    }
}

extension FrameContent {
    /// A message of version and number.
    fileprivate func numbered<Value>(
        _ make: (UInt8) -> Value?
    ) throws(WireError) -> Value {
        guard unsafe !hasSecret, unsafe message.count == 2,
            unsafe message[0] == FrontLayout.version, let value = unsafe make(message[1])
        else { throw .malformed }
        return value
    }

    /// A message of the version alone.
    func version() throws(WireError) {
        guard unsafe !hasSecret, unsafe message.count == 1,
            unsafe message[0] == FrontLayout.version
        else { throw .malformed }
    }
}

/// The message of a request or reply that says nothing.
enum FrontMessage {
    static let empty = [FrontLayout.version]
}

extension Representation {
    /// The bytes of the message; no protobuf. The reasons may be part of it.
    func encoded(hasReasons: Bool) -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(FrontLayout.version)
        writer.u8(
            (isSandboxed ? FrontLayout.isSandboxed : 0)
                | (isIsolationOff ? FrontLayout.isIsolationOff : 0))
        writer.append(text: owner)
        for list in hasReasons ? [groups, reasons] : [groups] {
            writer.u16(UInt16(clamping: list.count))
            for text in list { writer.append(text: text) }
        }
        return writer.bytes
    }

    init(_ content: FrameContent, hasReasons: Bool) throws(WireError) {
        guard unsafe !content.hasSecret else { throw .malformed }
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(content.message)
            guard try unsafe reader.u8() == FrontLayout.version else { throw DecodingFailure() }
            let flags = try unsafe reader.u8()
            guard flags <= FrontLayout.isSandboxed | FrontLayout.isIsolationOff else {
                throw DecodingFailure()
            }
            isSandboxed = flags & FrontLayout.isSandboxed != 0
            isIsolationOff = flags & FrontLayout.isIsolationOff != 0
            owner = try unsafe reader.text()
            for _ in 0..<(try unsafe reader.u16()) { groups.append(try unsafe reader.text()) }
            if hasReasons {
                for _ in 0..<(try unsafe reader.u16()) {
                    reasons.append(try unsafe reader.text())
                }
            }
            try unsafe reader.finish()
        } catch { throw .malformed }
    }
}
