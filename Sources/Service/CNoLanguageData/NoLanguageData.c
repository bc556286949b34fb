// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "CNoLanguageData.h"

#include <stdint.h>

/// The tables of languages that Foundation brings along (ICU 76, 34 MB), without a table in them.
///
/// GRDB imports all of Foundation, so a static securityd would contain these tables. It uses none:
/// it formats no dates or numbers for people and sorts nothing by language. The linker takes this
/// object instead of the archive's. It is hidden, so that a program with shared libraries keeps the
/// library's tables. When a toolchain has another ICU, the name changes and securityd grows again:
/// Scripts/check-packages fails then.
///
/// Source of the layout: ICU's `udata.h` (`UDataInfo`) and `ucmndata.h` (`MappedData`, a common
/// package `CmnD`, whose content starts with the number of its tables).
struct {
    uint16_t headerByteCount;
    uint8_t magic[2];
    struct {
        uint16_t byteCount, reserved;
        uint8_t isBigEndian, charsetFamily, characterByteCount, reservedByte;
        uint8_t dataFormat[4], formatVersion[4], dataVersion[4];
    } information;
    uint8_t padding[8];
    uint32_t tableCount;
} const icudt76_dat __attribute__((visibility("hidden"), aligned(16))) = {
    .headerByteCount = 32,
    .magic = {0xda, 0x27},
    .information = {
        .byteCount = 20,
        .characterByteCount = 2,
        .dataFormat = {'C', 'm', 'n', 'D'},
        .formatVersion = {1},
    },
};
