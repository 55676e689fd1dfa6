/* SPDX-License-Identifier: MIT
 *
 * The store, byte by byte: one file, mapped by the process that records and by whoever reads it,
 * during its life or after. It holds no pointers; a store_ref is an offset from the start of the
 * file in units of 8 bytes, 0 = none, so 32 bits reach 32 GiB. Everything but the head is reached
 * from the head. Each recorder is written by its own thread alone. A reader loads `used`, `next`
 * and the head's list refs with acquire: they are published with release after what they cover. All
 * integers are in the machine's byte order; the head says which.
 *
 *   head ─► modules ─► module ─► …            (list by next, oldest first)
 *     └───► recorders ─► recorder ─► …        (list by next, oldest first)
 *                          ├─► nodes ─► segment of store_node ─► segment …
 *                          ├─► functions ─► segment of store_function ─► segment …
 *                          ├─► stacks ─► stack ─► frames
 *                          └─► laps ─► lap ─► sums, series, worst ─► self times  */
#pragma once

#include "store/lost.h"

#include <stdint.h>

typedef uint32_t store_ref;

enum {
    STORE_UNIT = 8,
    STORE_VERSION = 1,
    STORE_BYTE_ORDER = 0x01020304,
    STORE_HEAD_BYTES = 4096,
};
#define STORE_MAGIC "STINTSTO" /* 8 bytes, no NUL */

/* Variable text: `bytes` bytes follow, then a NUL that is not counted. Arguments are separated by
 * NUL. */
struct store_text {
    uint32_t bytes;
    char data[];
};

enum store_ending_kind {
    STORE_ENDING_NONE = 0, /* running, or killed */
    STORE_ENDING_EXIT = 1,
    STORE_ENDING_SIGNAL = 2,
    STORE_ENDING_EXEC = 3,
};

struct store_ending {
    uint32_t kind; /* enum store_ending_kind; written last, with release */
    int32_t status;
    int32_t signal, code; /* si_signo, si_code */
    uint64_t address;     /* si_addr, for SIGSEGV SIGBUS SIGILL SIGFPE SIGTRAP */
    uint32_t recorder;    /* recorder id of the thread that ended it, + 1; 0 = none recorded */
    uint32_t frames;      /* backtrace: number of addresses */
    store_ref backtrace;  /* uint64_t[frames], innermost first; written after kind */
    uint32_t reserved;
    uint64_t ticks; /* when it ended */
};

enum store_flags {
    STORE_HAS_MEMORY_CHUNKS = 1, /* part of what was recorded is not in the file */
    STORE_IS_MEMORY = 2,         /* never was a file */
    STORE_THREAD_TREES = 8,      /* the report holds each thread's own call tree */
};

struct store_head {
    char magic[8];
    uint32_t version, byte_order;
    /* what a reader built at another time checks its structs against */
    uint32_t head_bytes, node_bytes, function_bytes, frame_bytes, recorder_bytes, module_bytes;
    char stint_version[16];
    char run[48]; /* "<pid>:<start time>" of the run's first process; all of a run share it */
    uint32_t pid, parent_pid;
    uint64_t process_start;   /* field 22 of /proc/pid/stat: tells a reused pid */
    uint64_t boot_id;         /* hash of /proc/sys/kernel/random/boot_id: same boot, same ticks */
    uint64_t started_unix_ns; /* CLOCK_REALTIME */
    uint32_t clock_source;    /* enum clock_source */
    uint32_t flags;
    uint64_t first_ticks, first_raw_ns, first_error_ns; /* clock pair at the start */
    uint64_t last_ticks, last_raw_ns, last_error_ns;    /* at the newest report; 0 = none yet */
    uint64_t used_bytes; /* allocated: every ref + its record lies below; release */
    uint64_t file_bytes; /* what of it is in the file */
    store_ref executable, arguments, host; /* store_text */
    store_ref out;                         /* store_text: absolute name of the intended report */
    store_ref modules, recorders;          /* oldest of each list; release */
    uint64_t lost[16];                     /* by enum lost_kind; what no recorder could count */
    uint64_t overhead_ticks_1024;          /* measured cost of one call × 1024; 0 = not measured */
    uint64_t cpu_ns;                       /* of the process, at the newest report */
    uint32_t snapshots;                    /* reports written so far that were not final */
    uint32_t max_nodes;                    /* setting, for the reader's eyes */
    struct store_ending ending;
    uint64_t lap_budget_ns; /* what a lap may take: longer ones missed it */
    uint32_t worst_laps;    /* how many of a kind the report tells */
    uint32_t reserved;
};
_Static_assert(sizeof(struct store_head) <= STORE_HEAD_BYTES, "the head fits its page");
_Static_assert(LOST_KINDS <= 16, "lost kinds fit their array");

/* A loaded object. A mapping is found by (address, time): the module that contains the address and
 * was unloaded first after the time (0 = never). */
struct store_module {
    store_ref next; /* release */
    uint32_t id;
    uint64_t low, high; /* address range of its PT_LOADs */
    uint64_t bias;      /* added to the file's virtual addresses */
    uint64_t loaded_ticks, unloaded_ticks;
    store_ref path; /* store_text, absolute */
    uint32_t build_id_bytes;
    uint8_t build_id[32];
};

enum store_segment_kind { STORE_SEGMENT_NODES = 1, STORE_SEGMENT_FUNCTIONS = 2 };

/* An array of records; the items follow at +64. */
struct store_segment {
    store_ref next; /* release */
    uint32_t kind;
    uint32_t capacity, used; /* used: release, after the item is whole */
    uint32_t reserved[12];
};
_Static_assert(sizeof(struct store_segment) == 64, "items keep to cache lines");

/* Marks in an address, above any user-space address (47 bits; 52 on aarch64 with LVA). A marked
 * address equals no function that a hook is called with, so such a node or frame takes the slow
 * path. */
#define STORE_ADDRESS_MASK ((UINT64_C(1) << 56) - 1)
/* Stands for every path of this function beyond the limit. */
#define STORE_MARK_FOLDED (UINT64_C(1) << 56)
/* Its module is gone; the address may mean another function by now. */
#define STORE_MARK_UNLOADED (UINT64_C(1) << 57)
/* Entered before a fork: its exit is not counted. */
#define STORE_MARK_INHERITED (UINT64_C(1) << 58)
/* Not an address but a category: the store_ref of its name (store_text) in the low 32 bits, above
 * them 1 + its number in the process (0 = unknown), and its kind at STORE_KIND_SHIFT. */
#define STORE_MARK_CATEGORY (UINT64_C(1) << 59)
/* Each of its activations is a lap. In nodes alone, not in function records. */
#define STORE_MARK_LAP (UINT64_C(1) << 62)
enum { STORE_NUMBER_SHIFT = 32, STORE_KIND_SHIFT = 60 };

/* What a category's values are. But for scopes they lie outside the tree, in a node whose parent is
 * 0. */
enum store_kind {
    STORE_KIND_SCOPE = 0, /* durations in ticks; a callee like any function */
    STORE_KIND_NS = 1,    /* durations in nanoseconds */
    STORE_KIND_COUNT = 2, /* the node's total_ticks is the sum, an int64_t; no histogram */
    STORE_KIND_VALUE = 3, /* total, min, max and samples are the bits of doubles; stats/hist.h has
                             the grid; min > max while count is 0 */
    STORE_KINDS = 4,
};

/* One distinct path of calls. The root (parent 0) stands for the thread itself: address 0, function
 * 0. Time in children is not stored: it is the sum of the children's totals. */
struct store_node {
    uint64_t address;
    store_ref parent;
    store_ref last_child; /* what a new frame expects to call; no tree structure */
    uint64_t count;       /* ended activations */
    uint64_t total_ticks; /* sum of their durations */
    uint64_t min_ticks;   /* UINT64_MAX while count is 0 */
    uint64_t max_ticks;
    store_ref function;
    store_ref folded_children; /* uint64_t: ticks of folded calls made from here; 0 = none */
    /* The reporter's, not the owner's: the largest number of ended and open activations that a
     * report of the running process told while some were open. Between a call's end and its count
     * stands a moment in which a reader finds neither. */
    uint64_t told;
};
_Static_assert(sizeof(struct store_node) == 64, "a node is one cache line");

/* Folded nodes (STORE_MARK_FOLDED; parent = the recorder's folded root, which has address
 * STORE_MARK_FOLDED and parent = root) stand at many places of the tree at once, so what the tree
 * gives elsewhere is summed up beside them. */
struct store_folded {
    store_ref node;
    uint32_t active;       /* activations open now */
    uint64_t nested_ticks; /* part of total_ticks spent inside another activation of the function */
    uint64_t child_ticks;  /* time in callees (all of them folded) */
};

/* The grid of the recorder's histograms, in ticks: width 1 below 512, then 256 steps an octave.
 *   shift = max(0, msb(d) − 8)      bucket = shift × 256 + (d >> shift)
 * Counters come in blocks of 64 (a quarter octave), made when first hit; the first
 * four blocks are made together and lie one behind the other. */
enum {
    STORE_BLOCK_BUCKETS = 64,
    STORE_BUCKETS = 55 * 256 + 512,
    STORE_BLOCKS = STORE_BUCKETS / STORE_BLOCK_BUCKETS, /* 228 */
    STORE_NEAR_BLOCKS = 4,
    STORE_NEAR_TICKS = STORE_NEAR_BLOCKS * STORE_BLOCK_BUCKETS,
};

/* A function (or category) as one thread met it. Its count, sum, min and max are those of its
 * nodes; a category that is recorded outside the tree has them in a node whose parent is 0 (and
 * which is not the root). */
struct store_function {
    uint64_t address;     /* marks as in its nodes */
    uint64_t first_ticks; /* when it was first seen: tells the module's generation */
    store_ref ring;       /* struct store_ring, 0 = no samples held */
    store_ref unit;       /* store_text, of values; 0 = none */
    store_ref folded;     /* struct store_folded, 0 = none */
    uint32_t flags;
    store_ref blocks[STORE_BLOCKS];         /* each uint64_t[64], 0 = all zero */
    uint32_t number;                        /* its place in the recorder's list, from 0 */
    uint32_t on_path, path_epoch, reserved; /* the owner's: record/tree.c */
};
_Static_assert(sizeof(struct store_function) == 960, "a function is 15 cache lines");

enum store_function_flags {
    STORE_FUNCTION_NANOSECONDS = 1, /* its values are ns, not ticks */
    STORE_FUNCTION_SATURATED = 2,   /* its sum reached the end of its type */
    STORE_FUNCTION_LAP =
        4, /* a category's record for its laps alone; the recorder may have another */
};

/* The newest raw durations or values. The array grows by doubling (ref replaced, release) up to
 * limit; then it is filled again from the start, lap after lap: sample i (0-based, ever) lies at
 * samples[i % limit]. `next` moves before the sample is there, and may stand beyond the end: then
 * the array is full. */
struct store_ring {
    store_ref samples; /* uint64_t[capacity] */
    uint32_t limit;
    union {
        struct {
            uint32_t next, capacity;
        };
        uint64_t places; /* both: they change at once, and a place is claimed with its bound */
    };
    uint64_t lapped; /* samples of the laps before this one; 0 = all are held */
};
_Static_assert(sizeof(struct store_ring) == 24, "nothing between, nothing after");

/* A call that was entered while recording was paused has this and its address for start_ticks. It
 * is no call of the report's: its node is that of the call around it. No clock reaches so far, so
 * an exit takes the slow path. */
#define STORE_FRAME_MUTED (UINT64_C(1) << 63)

/* An open call. sp is written last and cleared first: 0 = not (or not yet) a frame. */
struct store_frame {
    uint64_t start_ticks; /* or STORE_FRAME_MUTED and an address */
    uint64_t sp;          /* address of the caller's stack at the hook */
    store_ref node;
    store_ref near; /* counters of the function's short calls, if it had them when this began */
    /* The callee to expect: its node in the low half, the low half of its address in the high one,
     * in one word so that a signal handler finds both of one callee. A folded frame has enum
     * store_frame_flags. */
    uint64_t expected;
    uint64_t expected_address;
};
_Static_assert(sizeof(struct store_frame) == 40, "five words a frame");

/* Nodes lie on cache lines, so the low 3 bits of their refs are free: a folded frame has the ref of
 * the nearest node further out that is not folded, and these. */
enum store_frame_flags {
    STORE_FRAME_NESTED = 1, /* the function is open further out */
    STORE_FRAME_FLAGS = 7,
};

/* Stands before each array of frames: where they stood before they were moved to grow. */
struct store_frames {
    store_ref older; /* struct store_frames, 0 = none */
    uint32_t capacity;
    uint64_t reserved[7];
};
_Static_assert(sizeof(struct store_frames) == 64, "frames start on a cache line");

/* The calls open on one machine stack. frames[0] is the floor, no call. The open calls are
 * frames[1 …] up to the first whose sp is 0. */
struct store_stack {
    store_ref next;   /* release */
    store_ref frames; /* struct store_frame[capacity]; replaced when it grows, release */
    uint32_t capacity;
    uint32_t in_use;    /* 1 = the thread's own stack, 2 = another, 3 = a fiber's, 0 = none */
    uint64_t low, high; /* bounds of the machine stack; 0 and UINT64_MAX where unknown */
    uint64_t age;       /* the recorder's count of switches when it was last left */
};

enum store_thread_state { STORE_THREAD_RUNNING = 0, STORE_THREAD_EXITED = 1 };

/* One thread's recorder; after takeovers, several threads' of the same start routine. */
struct store_recorder {
    store_ref next; /* release */
    uint32_t id;    /* counted from 0 in the order of the list */
    uint32_t tid, state;
    uint32_t generations; /* threads that have recorded here, at least 1 */
    uint32_t parent;      /* recorder id of the thread that created it, + 1; 0 = unknown or none */
    uint64_t start_routine;              /* address, 0 = main or unknown */
    uint64_t started_ticks, ended_ticks; /* ended 0 = running */
    uint64_t cpu_ns;                     /* at its end, or at the newest report */
    char name[16];                       /* as the kernel has it; NUL-terminated */
    store_ref given_name; /* store_text: what the program calls it in the report; 0 = nothing */
    uint32_t reserved_name;
    store_ref nodes, functions;  /* first segments; release */
    store_ref stacks;            /* release */
    store_ref root, folded_root; /* nodes */
    uint32_t node_count;
    uint64_t lost[16];      /* by enum lost_kind */
    uint64_t cpu_before_ns; /* of the threads that recorded here earlier; part of cpu_ns */
    uint32_t flags;
    store_ref laps; /* release */
};

enum store_recorder_flags { STORE_RECORDER_OTHERS = 1 /* the row "[other threads]" */ };
