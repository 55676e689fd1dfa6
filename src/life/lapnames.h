/* SPDX-License-Identifier: MIT
 *
 * STINT_FRAME_FUNCTION: from names to the addresses whose calls are laps, as objects come and go.
 */
#pragma once

/* Looks for the names in loaded objects that it has not looked at, once the companion is open, and
 * forgets functions of objects that are gone. Context: as companion_open. */
void lapnames_look(void);

/* Says which of the names no function has. Context: a normal ending. */
void lapnames_tell_missing(void);
