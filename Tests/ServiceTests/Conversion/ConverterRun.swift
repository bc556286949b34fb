// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import ConversionWire
import Foundation
import IPC
import SecretBytes
import TestSupport

/// One converter, as the tool starts it.
final class ConverterRun {
    let process: TestProcess
    private let toConverter: ConversionOutput
    private let fromConverter: ConversionInput
    private let sending: Descriptor
    private let receiving: Descriptor

    /// Starts one for an open file.
    init(file: Int32) throws {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&input) == 0, unsafe llavero_pipe(&output) == 0 else {
            throw TestFailure("No pipe can be had.")
        }
        defer {
            close(input[0])
            close(output[1])
        }
        sending = Descriptor(owning: input[1])
        receiving = Descriptor(owning: output[0])
        toConverter = ConversionOutput(sending.rawValue)
        fromConverter = ConversionInput(receiving.rawValue)
        var options = TestProcess.Options()
        options.descriptors = [input[0], output[1], file]
        process = try TestProcess(
            Binaries.path("llavero-convert"), ["--descriptors", "3"], options)
    }

    func send(_ messages: [ConversionMessage]) throws {
        for message in messages {
            guard toConverter.send(message) else { throw TestFailure("The converter is gone.") }
        }
        guard toConverter.flush() else { throw TestFailure("The converter is gone.") }
    }

    /// The messages up to the end; nil last if the converter ended in between.
    func answers() -> [ConversionMessage?] {
        var answers: [ConversionMessage?] = []
        while true {
            switch fromConverter.next() {
            case .message(let message):
                answers.append(message)
                switch message {
                case .end, .failed: return answers
                case .request, .recognized, .record, .leftOut: break
                }
            case .ended, .invalid:
                answers.append(nil)
                return answers
            }
        }
    }

    /// Has a file read.
    static func read(
        _ path: String, _ request: ConversionRequest
    ) throws -> [ConversionMessage?] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TestFailure("\(path) can't be opened.") }
        defer { close(file) }
        let run = try ConverterRun(file: file)
        try run.send([.request(request)])
        return run.answers()
    }

    /// Has records written to a new file.
    static func write(
        _ records: [ConvertedRecord], _ request: ConversionRequest, to path: String
    ) throws -> [ConversionMessage?] {
        let file = unsafe llavero_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestFailure("\(path) can't be made.") }
        defer { close(file) }
        let run = try ConverterRun(file: file)
        try run.send(
            [.request(request)] + records.map { .record($0) } + [.end(UInt32(records.count))])
        return run.answers()
    }

    static func secret(_ text: String) -> Secret {
        unsafe Array(text.utf8).withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    static func text(_ secret: Secret?) -> String {
        guard let secret else { return "" }
        return unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    static func sample(_ name: String) -> String {
        Binaries.packageRoot + "/Tests/Vectors/passwords/" + name
    }

    static func records(_ answers: [ConversionMessage?]) -> [ConvertedRecord] {
        answers.compactMap { answer in
            guard case .record(let record) = answer else { return nil }
            return record
        }
    }

    static func failure(_ answers: [ConversionMessage?]) -> ConversionFailure? {
        guard case .failed(let failure) = answers.last ?? nil else { return nil }
        return failure
    }

    static func isComplete(_ answers: [ConversionMessage?]) -> Bool {
        guard case .end(let count) = answers.last ?? nil else { return false }
        return Int(count) == records(answers).count
    }
}
