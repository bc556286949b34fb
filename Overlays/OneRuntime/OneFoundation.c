/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: 2026 The Llavero project authors
 *
 * Part of libSecurity.so. Ends a program that runs with another Foundation than the library was
 * linked with: objects cross the boundary, so a call would read memory of another layout. The two
 * cases are a program that contains its own Swift runtime (--static-swift-stdlib), and one that finds
 * another toolchain's libFoundation.so first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A function of Core Foundation. */
extern unsigned long CFStringGetTypeID(void);

/* The build ID of the libFoundation.so at the time of linking, in hexadecimal. */
static const char expected[] = FOUNDATION_BUILD_ID;

struct search {
    ElfW(Addr) base;
    char found[2 * 64 + 1];
};

/* Reads the build ID of the object at the base address. */
static int look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type == PT_LOAD && part->p_offset == 0
            && info->dlpi_addr + part->p_vaddr != search->base)
            return 0;
    }
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type != PT_NOTE) continue;
        const char *bytes = (const char *)(info->dlpi_addr + part->p_vaddr);
        const char *end = bytes + part->p_memsz;
        while ((size_t)(end - bytes) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)bytes;
            const char *name = bytes + sizeof *note;
            const unsigned char *content = (const void *)(name + ((note->n_namesz + 3) & ~3u));
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0
                && note->n_descsz <= 64)
                for (unsigned byte = 0; byte < note->n_descsz; byte++)
                    snprintf(search->found + 2 * byte, 3, "%02x", content[byte]);
            bytes = (const char *)content + ((note->n_descsz + 3) & ~3u);
        }
    }
    return 1;
}

/* Whether the program's file has the sections of compiled Swift. False when it can't be read. */
static int is_swift(void) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    int answer = 0;
    ElfW(Ehdr) header;
    ElfW(Shdr) section;
    static char names[65536];
    if (pread(file, &header, sizeof header, 0) == sizeof header
        && header.e_shentsize == sizeof section
        && pread(file, &section, sizeof section,
               (off_t)(header.e_shoff + (ElfW(Off))header.e_shstrndx * sizeof section))
            == sizeof section) {
        size_t count = section.sh_size < sizeof names ? section.sh_size : sizeof names;
        ssize_t length = pread(file, names, count, (off_t)section.sh_offset);
        answer = length > 0 && memmem(names, (size_t)length, "swift5_", 7) != NULL;
    }
    close(file);
    return answer;
}

/* Whether the program's first object, itself, needs the shared Swift runtime. */
static int needs_runtime(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const ElfW(Dyn) *dynamic = NULL;
    for (int index = 0; index < info->dlpi_phnum; index++)
        if (info->dlpi_phdr[index].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
    const char *strings = NULL;
    for (const ElfW(Dyn) *entry = dynamic; entry != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
    if (strings == NULL) return 1;
    /* The loader has made it an address of this process, or has left it as it is in the file. */
    if ((ElfW(Addr))strings < info->dlpi_addr) strings += info->dlpi_addr;
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strcmp(strings + entry->d_un.d_val, "libswiftCore.so") == 0)
            *(int *)context = 1;
    return 1;
}

__attribute__((constructor(101))) static void one_foundation(void) {
    Dl_info foundation, own;
    if (dladdr((void *)CFStringGetTypeID, &foundation) == 0) return;
    struct search search = {.base = (ElfW(Addr))foundation.dli_fbase};
    dl_iterate_phdr(look, &search);
    int is_shared = 0;
    dl_iterate_phdr(needs_runtime, &is_shared);
    int has_own = !is_shared && is_swift();
    if (!has_own && strcmp(search.found, expected) == 0) return;
    fprintf(stderr,
        "libSecurity: this program runs with another Foundation (%s) than %s was built with. Build it "
        "without --static-swift-stdlib and with that library's toolchain, or link Llavero's Swift "
        "module instead (llavero-swift).\n",
        has_own ? "its own" : foundation.dli_fname, dladdr((void *)one_foundation, &own) != 0 ? own.dli_fname : "the library");
    _exit(127);
}
