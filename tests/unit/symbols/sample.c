/* SPDX-License-Identifier: MIT
 *
 * An object with every kind of function symbol: global, weak, local, aliases, clones, indirect
 * functions, assembler labels with and without size or type. Never run. */
#define USED __attribute__((used, noinline))

int plain(int x);
int plain(int x) { return x * 3; }
int weaker(int x) __attribute__((weak, alias("plain")));
int zz_same(int x) __attribute__((alias("plain")));
int a_same(int x) __attribute__((alias("plain")));

static USED int only_here(int x) { return plain(x) + 1; }
static USED int clone(int x) __asm__("plain.part.0");
static USED int clone(int x) { return x + 5; }
static USED int colder(int x) __asm__("plain.cold");
static USED int colder(int x) { return x + 6; }

int chosen(int x);
static int (*resolver(void))(int) { return plain; }
int chosen(int x) __attribute__((ifunc("resolver")));

/* An endless type of label: sized without a type, without either, a function without a size, and
 * two spans of which one lies in the other. */
__asm__(".text\n"
        ".globl sized_label\n"
        "sized_label: .skip 24\n"
        ".size sized_label, 24\n"
        "bare_label: .skip 8\n"
        ".globl no_size\n"
        ".type no_size, %function\n"
        "no_size: .skip 40\n"
        ".type outer_span, %function\n"
        "outer_span: .skip 16\n"
        ".type inner_span, %function\n"
        "inner_span: .skip 8\n"
        ".size inner_span, 8\n"
        ".skip 24\n"
        ".size outer_span, . - outer_span\n"
        ".type short_alias, %function\n"
        ".globl short_alias\n"
        "short_alias:\n"
        ".type long_span, %function\n"
        "long_span: .skip 32\n"
        ".size short_alias, 8\n"
        ".size long_span, 32\n"
        ".data\n"
        "data_label: .skip 16\n"
        ".size data_label, 16\n"
        ".text\n");

int data = 1;

int main(void) { return only_here(data) + clone(1) + colder(2) + chosen(3); }
