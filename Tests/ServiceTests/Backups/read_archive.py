#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Llavero project authors
"""Reads an archive of a backup with its password: written from Documentation/BACKUP.md alone.

Usage: read_archive.py FILE PASSWORD
Prints a line for each row that opens: table, UUID, attributes and secret, all in hexadecimal digits.
"""

import hashlib
import hmac
import struct
import sys

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap

TABLES = [b"genp", b"inet", b"cert", b"keys"]


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        part = self.data[self.place:self.place + count]
        if len(part) != count:
            raise ValueError("cut off")
        self.place += count
        return part

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def optional(self, count):
        return self.take(count) if self.number("B") else None


def hkdf(key, info, salt=None):
    return HKDF(hashes.SHA256(), 32, salt, info).derive(key)


def open_bag(bag, password):
    values, place = [], 0
    while place < len(bag):
        tag, count = bag[place:place + 4], struct.unpack(">I", bag[place + 4:place + 8])[0]
        if tag == b"SIGN":
            signed = bag[:place]
        values.append((tag, bag[place + 8:place + 8 + count]))
        place += 8 + count
    first = dict(reversed(values))
    number = lambda tag: struct.unpack(">I", first[tag])[0]
    derived = hash_secret_raw(
        password, first[b"SALT"], number(b"ITER"), number(b"MEMC"), 1, 32, Type.ID)
    signature = hmac.digest(hkdf(derived, b"llavero.backup-bag.signature.1"), signed, "sha256")
    if not hmac.compare_digest(signature, first[b"SIGN"]):
        raise ValueError("wrong password")
    wrapping = hkdf(derived, b"llavero.backup-bag.1")
    keys, key_class = {}, None
    for tag, value in values:
        if tag == b"CLAS":
            key_class = struct.unpack(">I", value)[0]
        elif tag == b"WPKY":
            keys[key_class] = X25519PrivateKey.from_private_bytes(aes_key_unwrap(wrapping, value))
    return aes_key_unwrap(wrapping, first[b"AKEY"]), keys


def unwrap_portable(portable, label, key_class, private):
    sender, wrapped = portable[:32], portable[32:]
    shared = private.exchange(X25519PublicKey.from_public_bytes(sender))
    public = private.public_key().public_bytes_raw() if hasattr(
        private.public_key(), "public_bytes_raw") else raw(private.public_key())
    return aes_key_unwrap(hkdf(shared, label + bytes([key_class]) + sender + public), wrapped)


def raw(public):
    from cryptography.hazmat.primitives import serialization as form
    return public.public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)


def read(data, password):
    head = Reader(data)
    if head.take(8) != b"LLVRBACK" or head.number("H") != 1:
        raise ValueError("no archive of version 1")
    byte_count = head.number("H")
    _, has_bag = head.number("B"), head.number("B")
    head.take(16 + 4 + 8)
    salt = head.take(32)
    head.number("H")
    head.take(16)
    user = head.number("I")
    head.take(60)
    bag = head.take(head.number("H"))
    if not has_bag:
        raise ValueError("made without a password")
    wrapped = head.take(40)
    tagged = head.place
    tag = head.take(32)
    archive_wrapping, private = open_bag(bag, password)
    archive_key = aes_key_unwrap(archive_wrapping, wrapped)
    head_key = hkdf(archive_key, b"llavero.backup.1\x01", salt)
    if not hmac.compare_digest(hmac.digest(head_key, data[:tagged], "sha256"), tag):
        raise ValueError("forged head")
    digest = hashlib.sha256(data[:tagged + 32]).digest()
    chunk_key = AESGCM(hkdf(archive_key, b"llavero.backup.1\x02" + digest, salt))
    plaintext, place, number = b"", byte_count, 0
    while place < len(data):
        chunk = data[place:place + 65536 + 24]
        place += len(chunk)
        last = place == len(data)
        nonce = b"\0\0\0" + struct.pack(">Q", number) + bytes([last])
        sealed, checksum = chunk[:-8], chunk[-8:]
        if hashlib.sha256(digest + nonce + sealed).digest()[:8] != checksum:
            raise ValueError("chunk %d is damaged" % number)
        plaintext += chunk_key.decrypt(nonce, sealed, b"")
        number += 1
    return records(plaintext, private, user)


def records(plaintext, private, user):
    content, metadata_keys = Reader(plaintext), {}
    while True:
        kind, record = content.number("B"), Reader(content.take(content.number("I")))
        if kind == 3:
            return
        if kind == 1:
            key_class, generation = record.number("B"), record.number("I")
            record.take(60)
            portable = record.optional(72)
            if portable and key_class in private:
                metadata_keys[key_class, generation] = unwrap_portable(
                    portable, b"llavero.portable-key.1", key_class, private[key_class])
            continue
        table, uuid = TABLES[record.number("B")], record.take(16)
        key_class, generation, row_generation = (
            record.number("B"), record.number("I"), record.number("I"))
        tombstone = record.number("B")
        indexes = [record.optional(16) for _ in range(record.number("B"))]
        tags = record.optional(16)
        metadata, secret = record.take(record.number("I")), record.take(record.number("I"))
        portable = record.optional(72)
        if not portable or (key_class, generation) not in metadata_keys:
            continue

        def associated(part):
            columns = b"".join(b"\0" if x is None else b"\1" + x for x in indexes)
            label = b"llavero.row.3" if tags else b"llavero.row.1"
            return (label + bytes([part]) + table + struct.pack("<I", 16) + uuid
                    + struct.pack("<IBIIBB", user, key_class, generation, row_generation,
                                  tombstone, len(indexes)) + columns + (tags or b""))

        attributes = AESGCM(metadata_keys[key_class, generation]).decrypt(
            metadata[1:13], metadata[13:], associated(1))
        context = hashlib.sha256(associated(2) + metadata[-16:]).digest()
        row_key = unwrap_portable(
            portable, b"llavero.portable-row.1", key_class, private[key_class])
        padded = AESGCM(row_key).decrypt(
            secret[44:56], secret[56:],
            b"llavero.secret.1" + struct.pack("<IB", user, key_class) + context)
        count = struct.unpack("<I", padded[:4])[0]
        yield table, uuid, attributes, padded[4:4 + count]


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        for row in read(file.read(), sys.argv[2].encode()):
            print(row[0].decode(), *(part.hex() or "-" for part in row[1:]))
