/* SPDX-License-Identifier: MIT
 *
 * The shortest program that records something: main is its one call. Built without instrumentation
 * it is the one that records nothing. */
int main(void) { return 0; }
