/* SPDX-License-Identifier: MIT
 *
 * Headers that lie, objects of other kinds, files cut anywhere: nothing is read past the end, and
 * what is wrong is said. */
#include "symbols/elf.h"

#include "image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *objects;
static struct image image;

static int make(void **state)
{
    image_make(&image, NULL, 0);
    return 0;
}

static int open_with_fault(struct elf_image *elf, struct fault *fault)
{
    *fault = (struct fault){0};
    uint8_t *copy = guarded_copy(image.bytes, image.size);
    int error = elf_open(copy, image.size, elf, fault);
    elf->bytes = image.bytes;
    guarded_free(copy, image.size);
    assert_int_equal(error, fault->error);
    assert_int_equal(error != 0, fault->text[0] != 0);
    return error;
}

static int open_quietly(void)
{
    struct elf_image elf;
    struct fault fault;
    return open_with_fault(&elf, &fault);
}

static void a_good_object_shows_its_sections(void **state)
{
    struct elf_image elf;
    struct fault fault;
    struct elf_section section;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    assert_int_equal(elf.sections, IMAGE_SECTIONS);
    assert_int_equal(elf.type, ET_DYN);
    assert_int_equal(elf.machine, EM_X86_64);
    assert_true(elf_section_named(&elf, ".symtab", &section));
    assert_int_equal(section.type, SHT_SYMTAB);
    assert_true(elf_section_of_type(&elf, SHT_STRTAB, &section));
    assert_int_equal(section.offset, image.sections[IMAGE_STRTAB].sh_offset);
    assert_false(elf_section_named(&elf, ".absent", &section));
    assert_false(elf_section_at(&elf, IMAGE_SECTIONS, &section));
}

static void a_32_bit_object_is_refused_by_name(void **state)
{
    struct elf_image elf;
    struct fault fault;
    image.bytes[EI_CLASS] = ELFCLASS32;
    assert_int_equal(open_with_fault(&elf, &fault), -ENOEXEC);
    assert_string_equal(fault.text, "a 32-bit object");
}

static void a_big_endian_object_is_refused(void **state)
{
    image.bytes[EI_DATA] = ELFDATA2MSB;
    assert_int_equal(open_quietly(), -ENOEXEC);
}

static void what_is_no_object_is_refused(void **state)
{
    image.bytes[0] = '#';
    assert_int_equal(open_quietly(), -ENOEXEC);
    image.size = 0;
    assert_int_equal(open_quietly(), -ENOEXEC);
}

static void an_object_without_sections_opens(void **state)
{
    struct elf_image elf;
    struct fault fault;
    struct elf_section section;
    image.header->e_shoff = 0;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    assert_false(elf_section_at(&elf, 0, &section));
    uint32_t bytes;
    assert_null(elf_build_id(&elf, &bytes));
}

static void section_headers_past_the_end_are_damage(void **state)
{
    static const uint64_t offsets[] = {8192, UINT64_MAX, UINT64_MAX - 63};
    for (size_t i = 0; i < 3; i++) {
        image.header->e_shoff = offsets[i];
        assert_int_equal(open_quietly(), -EBADMSG);
    }
}

static void a_section_count_past_the_header_is_found_in_section_0(void **state)
{
    struct elf_image elf;
    struct fault fault;
    image.header->e_shnum = 0;
    image.header->e_shstrndx = SHN_XINDEX;
    image.sections[0].sh_size = IMAGE_SECTIONS;
    image.sections[0].sh_link = IMAGE_NAMES;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    assert_int_equal(elf.sections, IMAGE_SECTIONS);
    assert_int_equal(elf.names_section, IMAGE_NAMES);
    image.sections[0].sh_size = UINT64_MAX / 2;
    assert_int_equal(open_quietly(), -EBADMSG);
}

static void names_without_an_end_are_empty(void **state)
{
    struct elf_image elf;
    struct fault fault;
    struct elf_section section;
    image.sections[IMAGE_NAMES].sh_size--; /* the final NUL */
    while (image.bytes[image.sections[IMAGE_NAMES].sh_offset + image.sections[IMAGE_NAMES].sh_size -
                       1] == 0)
        image.sections[IMAGE_NAMES].sh_size--;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    assert_true(elf_section_at(&elf, IMAGE_SYMTAB, &section));
    assert_string_equal(section.name, "");
}

static const uint8_t *bytes_of(int index)
{
    struct elf_image elf;
    struct fault fault;
    struct elf_section section;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    assert_true(elf_section_at(&elf, (uint32_t)index, &section));
    return elf_section_bytes(&elf, &section);
}

static void a_section_without_bytes_in_the_file_has_none(void **state)
{
    assert_ptr_equal(bytes_of(IMAGE_STRTAB), image.bytes + image.sections[IMAGE_STRTAB].sh_offset);
    assert_null(bytes_of(IMAGE_TEXT)); /* SHT_NOBITS */
    image.sections[IMAGE_STRTAB].sh_flags |= SHF_COMPRESSED;
    assert_null(bytes_of(IMAGE_STRTAB));
    image.sections[IMAGE_SYMTAB].sh_size = UINT64_MAX;
    assert_null(bytes_of(IMAGE_SYMTAB));
}

static const uint8_t *build_id(uint32_t *bytes)
{
    struct elf_image elf;
    struct fault fault;
    assert_int_equal(open_with_fault(&elf, &fault), 0);
    return elf_build_id(&elf, bytes);
}

static void the_build_id_stands_in_a_note_section(void **state)
{
    uint32_t bytes = 0;
    const uint8_t *id = build_id(&bytes);
    assert_int_equal(bytes, 4);
    assert_memory_equal(id, "\xde\xad\xbe\xef", 4);
}

static void a_note_longer_than_its_section_is_no_build_id(void **state)
{
    uint32_t bytes = 0;
    memset(image.build_id - 12, 0xff, 4); /* its length */
    assert_null(build_id(&bytes));
    image.sections[IMAGE_NOTE].sh_size = 11; /* less than a note's head */
    assert_null(build_id(&bytes));
}

static void the_build_id_of_an_object_without_sections_stands_in_a_segment(void **state)
{
    uint32_t bytes = 0;
    uint64_t offset = image.sections[IMAGE_NOTE].sh_offset;
    Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = offset, .p_filesz = 20, .p_align = 4};
    memcpy(image.bytes + image.header->e_shoff, &segment, sizeof segment);
    image.header->e_phoff = image.header->e_shoff;
    image.header->e_phentsize = sizeof segment;
    image.header->e_phnum = 1;
    image.header->e_shoff = 0;
    assert_memory_equal(build_id(&bytes), "\xde\xad\xbe\xef", 4);
    image.header->e_phnum = 1000;
    assert_int_equal(open_quietly(), -EBADMSG);
}

static size_t visit(const struct elf_image *elf)
{
    struct elf_section section;
    struct elf_segment segment;
    size_t sum = 0;
    for (uint32_t i = 0; elf_section_at(elf, i, &section); i++) {
        const uint8_t *bytes = elf_section_bytes(elf, &section);
        sum += strlen(section.name);
        if (bytes && section.size) sum += (size_t)bytes[0] + bytes[section.size - 1];
    }
    for (uint32_t i = 0; elf_segment_at(elf, i, &segment); i++) sum += segment.type;
    uint32_t bytes;
    const uint8_t *id = elf_build_id(elf, &bytes);
    return id ? sum + id[0] + id[bytes - 1] : sum;
}

static void a_file_cut_at_any_byte_is_read_within_its_bounds(void **state)
{
    size_t bytes;
    uint8_t *file = whole_file(objects, "pie", &bytes);
    for (size_t cut = 0; cut < bytes; cut += cut < 256 || cut > bytes - 256 ? 1 : 61) {
        uint8_t *copy = guarded_copy(file, cut);
        struct elf_image elf;
        if (elf_open(copy, cut, &elf, NULL) == 0) assert_true(visit(&elf) > 0);
        guarded_free(copy, cut);
    }
    free(file);
}

static void files_that_are_no_objects_are_refused_and_left_closed(void **state)
{
    char path[] = "/tmp/stint-elf-XXXXXX";
    struct elf_file file = {0};
    assert_non_null(mkdtemp(path));
    assert_int_equal(elf_file_open(path, &file, NULL), -ENOEXEC); /* a directory */
    assert_int_equal(elf_file_open("/dev/null", &file, NULL), -ENOEXEC);
    char fifo[64];
    strcat(strcpy(fifo, path), "/fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(elf_file_open(fifo, &file, NULL),
                     -ENOEXEC); /* and does not wait for a writer */
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(elf_file_open(fifo, &file, NULL), -ENOENT);
    assert_int_equal(rmdir(path), 0);
    assert_null(file.image.bytes);
    elf_file_close(&file);
}

int main(int count, char **arguments)
{
    objects = arguments[count - 1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_good_object_shows_its_sections, make),
        cmocka_unit_test_setup(a_32_bit_object_is_refused_by_name, make),
        cmocka_unit_test_setup(a_big_endian_object_is_refused, make),
        cmocka_unit_test_setup(what_is_no_object_is_refused, make),
        cmocka_unit_test_setup(an_object_without_sections_opens, make),
        cmocka_unit_test_setup(section_headers_past_the_end_are_damage, make),
        cmocka_unit_test_setup(a_section_count_past_the_header_is_found_in_section_0, make),
        cmocka_unit_test_setup(names_without_an_end_are_empty, make),
        cmocka_unit_test_setup(a_section_without_bytes_in_the_file_has_none, make),
        cmocka_unit_test_setup(the_build_id_stands_in_a_note_section, make),
        cmocka_unit_test_setup(a_note_longer_than_its_section_is_no_build_id, make),
        cmocka_unit_test_setup(the_build_id_of_an_object_without_sections_stands_in_a_segment,
                               make),
        cmocka_unit_test(a_file_cut_at_any_byte_is_read_within_its_bounds),
        cmocka_unit_test(files_that_are_no_objects_are_refused_and_left_closed),
    };
    return cmocka_run_group_tests_name("symbols/elf", tests, NULL, NULL);
}
