/* SPDX-License-Identifier: MIT
 *
 * What each verb's file gives to main.c's table: its options and its function. */
#pragma once

#include "verb/opt.h"

extern const struct opt completion_options[], run_options[], report_options[], recover_options[],
    settings_options[];
extern const struct opt export_options[];
extern const struct opt check_options[];
extern const struct opt top_options[];
extern const struct opt merge_options[], diff_options[], advise_options[];

int run_main(struct opt_args *args);
int report_main(struct opt_args *args);
int export_main(struct opt_args *args);
int diff_main(struct opt_args *args);
int advise_main(struct opt_args *args);
int merge_main(struct opt_args *args);
int check_main(struct opt_args *args);
int top_main(struct opt_args *args);
int recover_main(struct opt_args *args);
int settings_main(struct opt_args *args);
int completion_main(struct opt_args *args);
