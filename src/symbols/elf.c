/* SPDX-License-Identifier: MIT
 *
 * Every read goes through `within`, which alone decides whether a range lies inside the image, and
 * is a copy, since offsets in a hostile or odd file need not be aligned. Runs anywhere. */
#include "symbols/elf.h"

#include "base/sys.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static bool within(const struct elf_image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset;
}

static bool copy_out(const struct elf_image *image, uint64_t offset, void *to, size_t bytes)
{
    if (!within(image, offset, bytes)) return false;
    memcpy(to, image->bytes + offset, bytes);
    return true;
}

static int check_ident(const Elf64_Ehdr *header, uint64_t size, struct fault *fault)
{
    if (size < EI_NIDENT || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return fault_set(fault, -ENOEXEC, "not an ELF object");
    if (header->e_ident[EI_CLASS] == ELFCLASS32)
        return fault_set(fault, -ENOEXEC, "a 32-bit object");
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return fault_set_at(fault, -ENOEXEC, "an ELF object of unknown class", EI_CLASS);
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return fault_set_at(fault, -ENOEXEC, "an object of big-endian byte order", EI_DATA);
    if (size < sizeof *header) return fault_set(fault, -EBADMSG, "the ELF header is cut short");
    return 0;
}

static int place_sections(struct elf_image *image, const Elf64_Ehdr *header, struct fault *fault)
{
    if (header->e_shoff == 0) return 0;
    Elf64_Shdr first;
    if (header->e_shentsize != sizeof first)
        return fault_set_at(fault, -EBADMSG, "section headers of an unknown size",
                            offsetof(Elf64_Ehdr, e_shentsize));
    if (!copy_out(image, header->e_shoff, &first, sizeof first))
        return fault_set_at(fault, -EBADMSG, "the section headers lie past the end of the file",
                            header->e_shoff);
    /* Counts that don't fit the header stand in section 0 (gABI, "Number of sections"). */
    uint64_t sections = header->e_shnum ? header->e_shnum : first.sh_size;
    if (sections > image->size / sizeof first ||
        !within(image, header->e_shoff, sections * sizeof first))
        return fault_set_at(fault, -EBADMSG, "the section headers lie past the end of the file",
                            header->e_shoff);
    image->sections_offset = header->e_shoff;
    image->sections = (uint32_t)sections;
    image->names_section =
        header->e_shstrndx == SHN_XINDEX ? first.sh_link : (uint32_t)header->e_shstrndx;
    return 0;
}

static int place_segments(struct elf_image *image, const Elf64_Ehdr *header, struct fault *fault)
{
    if (header->e_phoff == 0) return 0;
    uint64_t segments = header->e_phnum;
    Elf64_Shdr first;
    if (segments == PN_XNUM && image->sections &&
        copy_out(image, image->sections_offset, &first, sizeof first))
        segments = first.sh_info;
    if (segments == 0) return 0;
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return fault_set_at(fault, -EBADMSG, "program headers of an unknown size",
                            offsetof(Elf64_Ehdr, e_phentsize));
    if (!within(image, header->e_phoff, segments * sizeof(Elf64_Phdr)))
        return fault_set_at(fault, -EBADMSG, "the program headers lie past the end of the file",
                            header->e_phoff);
    image->segments_offset = header->e_phoff;
    image->segments = (uint32_t)segments;
    return 0;
}

int elf_open(const void *bytes, uint64_t size, struct elf_image *out, struct fault *fault)
{
    Elf64_Ehdr header = {0};
    memcpy(&header, bytes, size < sizeof header ? size : sizeof header);
    int error = check_ident(&header, size, fault);
    if (error) return error;
    struct elf_image image = {
        .bytes = bytes, .size = size, .type = header.e_type, .machine = header.e_machine};
    error = place_sections(&image, &header, fault);
    if (!error) error = place_segments(&image, &header, fault);
    if (!error) *out = image;
    return error;
}

static bool header_at(const struct elf_image *image, uint32_t index, Elf64_Shdr *out)
{
    return index < image->sections &&
           copy_out(image, image->sections_offset + (uint64_t)index * sizeof *out, out,
                    sizeof *out);
}

/* The text at an offset of the section names' table, "" where that is nowhere. The table must end
 * in NUL, as the gABI has it: then every text in it ends, and none needs a search for its end. */
static const char *section_name(const struct elf_image *image, uint32_t offset)
{
    Elf64_Shdr names;
    if (!header_at(image, image->names_section, &names) || names.sh_type != SHT_STRTAB) return "";
    if (offset >= names.sh_size || !within(image, names.sh_offset, names.sh_size)) return "";
    const char *text = (const char *)image->bytes + names.sh_offset;
    return text[names.sh_size - 1] == '\0' ? text + offset : "";
}

static struct elf_section section_of(const Elf64_Shdr *header)
{
    return (struct elf_section){.name = "",
                                .flags = header->sh_flags,
                                .address = header->sh_addr,
                                .offset = header->sh_offset,
                                .size = header->sh_size,
                                .entry_bytes = header->sh_entsize,
                                .alignment = header->sh_addralign,
                                .type = header->sh_type,
                                .link = header->sh_link,
                                .info = header->sh_info};
}

bool elf_section_at(const struct elf_image *image, uint32_t index, struct elf_section *out)
{
    Elf64_Shdr header;
    if (!header_at(image, index, &header)) return false;
    *out = section_of(&header);
    out->name = section_name(image, header.sh_name);
    return true;
}

bool elf_segment_at(const struct elf_image *image, uint32_t index, struct elf_segment *out)
{
    Elf64_Phdr header;
    if (index >= image->segments ||
        !copy_out(image, image->segments_offset + (uint64_t)index * sizeof header, &header,
                  sizeof header))
        return false;
    *out = (struct elf_segment){.offset = header.p_offset,
                                .address = header.p_vaddr,
                                .file_bytes = header.p_filesz,
                                .memory_bytes = header.p_memsz,
                                .alignment = header.p_align,
                                .type = header.p_type,
                                .flags = header.p_flags};
    return true;
}

bool elf_section_named(const struct elf_image *image, const char *name, struct elf_section *out)
{
    struct elf_section section;
    for (uint32_t i = 1; elf_section_at(image, i, &section); i++) {
        if (strcmp(section.name, name) != 0) continue;
        *out = section;
        return true;
    }
    return false;
}

bool elf_section_of_type(const struct elf_image *image, uint32_t type, struct elf_section *out)
{
    Elf64_Shdr header;
    for (uint32_t i = 1; header_at(image, i, &header); i++) {
        if (header.sh_type == type) return elf_section_at(image, i, out);
    }
    return false;
}

const uint8_t *elf_section_bytes(const struct elf_image *image, const struct elf_section *section)
{
    if (section->type == SHT_NOBITS || (section->flags & SHF_COMPRESSED)) return NULL;
    if (!within(image, section->offset, section->size)) return NULL;
    return image->bytes + section->offset;
}

/* Notes that are read in one search: real objects have less than ten, and a hostile one may point
 * many headers at one long run. */
enum { MOST_NOTES = 4096 };

struct notes {
    uint64_t offset, bytes, alignment;
};

/* Looks through one run of notes. Names and descriptions are padded to 4 bytes, or to 8 where the
 * run is aligned so (gABI, "Note Section"; Linux's .note.gnu.property). */
static const uint8_t *build_id_in(const struct elf_image *image, struct notes notes,
                                  uint32_t *budget, uint32_t *bytes)
{
    uint64_t pad = notes.alignment == 8 ? 7 : 3;
    uint64_t end = notes.offset + notes.bytes;
    for (uint64_t at = notes.offset; end - at >= sizeof(Elf64_Nhdr) && *budget;) {
        --*budget;
        Elf64_Nhdr note;
        memcpy(&note, image->bytes + at, sizeof note);
        uint64_t name = at + sizeof note;
        uint64_t text = sizeof note + (((uint64_t)note.n_namesz + pad) & ~pad);
        uint64_t next = text + (((uint64_t)note.n_descsz + pad) & ~pad);
        if (text > end - at || note.n_descsz > end - at - text) return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
            memcmp(image->bytes + name, "GNU", 4) == 0) {
            *bytes = note.n_descsz;
            return image->bytes + at + text;
        }
        if (next > end - at) return NULL;
        at += next;
    }
    return NULL;
}

const uint8_t *elf_build_id(const struct elf_image *image, uint32_t *bytes)
{
    /* Sections first: in a file of debug information alone they hold what they say, while the
     * segments still describe the object that it was taken from. */
    uint32_t budget = MOST_NOTES;
    Elf64_Shdr header;
    for (uint32_t i = 1; header_at(image, i, &header); i++) {
        if (header.sh_type != SHT_NOTE || !within(image, header.sh_offset, header.sh_size))
            continue;
        struct notes notes = {header.sh_offset, header.sh_size, header.sh_addralign};
        const uint8_t *id = build_id_in(image, notes, &budget, bytes);
        if (id) return id;
    }
    struct elf_segment segment;
    for (uint32_t i = 0; elf_segment_at(image, i, &segment); i++) {
        if (segment.type != PT_NOTE || !within(image, segment.offset, segment.file_bytes)) continue;
        struct notes notes = {segment.offset, segment.file_bytes, segment.alignment};
        const uint8_t *id = build_id_in(image, notes, &budget, bytes);
        if (id) return id;
    }
    return NULL;
}

/* Maps what the descriptor stands for. The size is read once; a file that shrinks later is the
 * caller's risk. */
static int map_descriptor(int fd, struct elf_file *out, struct fault *fault)
{
    struct stat status;
    long result = sys_call2(SYS_fstat, fd, &status);
    if (result < 0) return fault_set(fault, (int)result, "the file's state can't be read");
    if (!S_ISREG(status.st_mode)) return fault_set(fault, -ENOEXEC, "not a regular file");
    if (status.st_size == 0) return fault_set(fault, -ENOEXEC, "an empty file");
    long at = sys_call6(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at < 0 && at > -4096) return fault_set(fault, (int)at, "the file can't be mapped");
    int error = elf_open((const void *)at, (uint64_t)status.st_size, &out->image, fault);
    if (error) {
        (void)sys_call2(SYS_munmap, at, status.st_size); /* can't fail for a mapping of ours */
        return error;
    }
    out->device = status.st_dev;
    out->inode = status.st_ino;
    return 0;
}

int elf_file_open(const char *path, struct elf_file *out, struct fault *fault)
{
    /* O_NONBLOCK: a FIFO that stands there must not hold us up. */
    long fd;
    do {
        fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    } while (fd == -EINTR);
    if (fd < 0) return fault_set(fault, (int)fd, "the file can't be opened");
    int error = map_descriptor((int)fd, out, fault);
    (void)sys_call1(SYS_close, fd); /* nothing was written */
    return error;
}

void elf_file_close(struct elf_file *file)
{
    if (!file->image.bytes) return;
    (void)sys_call2(SYS_munmap, file->image.bytes, file->image.size); /* ours: can't fail */
    *file = (struct elf_file){0};
}
