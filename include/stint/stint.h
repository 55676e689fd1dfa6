/* SPDX-License-Identifier: MIT */
#ifndef STINT_STINT_H
#define STINT_STINT_H
#endif
