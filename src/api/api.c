/* SPDX-License-Identifier: MIT
 *
 * The functions of include/stint/stint.h: none yet. */
