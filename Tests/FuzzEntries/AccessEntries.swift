// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import AgentPrompts
import EnclaveWire
import Foundation
import KeychainVocabulary
import SecretBytes

/// What a person is asked, and by what.
enum AccessEntries {
    static func line(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            guard let line = unsafe AssuanLine.parse(bytes) else { return }
            switch consume line {
            case .data(let plain): precondition(plain.byteCount <= bytes.count)
            case .done: break
            case .failed: break
            case .remark: break
            }
        }
        let text = String(decoding: data, as: UTF8.self)
        let command = AssuanLine.command("SETDESC", text)
        precondition(command.count <= AssuanLine.byteCountLimit)
        precondition(command.firstIndex(of: 0x0A) == command.count - 1)
        let shown = ShownText.neutral(text)
        precondition(shown.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
        if let terminal = ProcessTerminal(statusLine: text) {
            precondition(terminal.path.hasPrefix("/dev/"))
        }
    }

    static func messages(_ data: Data) {
        let bytes = [UInt8](data)
        if let request = try? AgentRequest(decoding: bytes) {
            precondition(request.encoded == bytes)
        }
        if let reply = try? AgentReply(decoding: bytes) { precondition(reply.encoded == bytes) }
    }

    static func accessControl(_ data: Data) {
        let bytes = [UInt8](data)
        if let control = AccessControl(decoding: bytes) {
            precondition(control.encoded == bytes)
            _ = control.text(classCode: "ak")
            for operation in AccessControl.Operation.allCases {
                _ = control.constraint(of: operation)
            }
        }
        if let question = try? AccessQuestion(decoding: bytes) {
            precondition(question.encoded == bytes)
            precondition(!Wording.lines(question, .passcode).isEmpty)
        }
    }

    static let lines = ["OK", "D a%25b", "ERR 83886179 x", "S x", "# x", "7 (x) S 1 7 7 34816 7"]
        .map { Data($0.utf8) }

    private static var question: AccessQuestion? {
        let bytes = [UInt8](repeating: 1, count: 32)
        guard let scope = AccessScope(context: bytes, origin: bytes),
            let subject = AccessSubject(
                uuid: [UInt8](repeating: 2, count: 16), controlDigest: bytes)
        else { return nil }
        return AccessQuestion(
            operation: .decrypt, scope: scope, subjects: [subject], application: "app",
            purpose: "why")
    }

    static var allMessages: [Data] {
        var messages: [[UInt8]] = [
            AgentRequest.nonce([UInt8](repeating: 3, count: 32)).encoded,
            AgentRequest.accepted.encoded, AgentRequest.wrong.encoded,
            AgentRequest.passcodeOnly.encoded, AgentReply.answered.encoded,
            AgentReply.unrecognized.encoded,
            AgentReply.touched([UInt8](repeating: 5, count: 80)).encoded,
            AgentReply.letter([UInt8](repeating: 4, count: 80)).encoded,
        ]
        if let question {
            let ask = AgentRequest.ask(
                .passcode, .all, userID: 1000, process: 7, seconds: 60, question)
            messages.append(ask.encoded)
        }
        return messages.map { Data($0) }
    }

    static var accessControls: [Data] {
        let control = AccessControl(
            protectionClass: 6,
            operations: [
                .decrypt: .some(1, of: [.passcode, .biometry]), .encrypt: .always,
                .delete: .never,
            ], demandsPassword: true)
        return [Data(control.encoded), Data(question?.encoded ?? [])]
    }
}
