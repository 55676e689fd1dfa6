/* SPDX-License-Identifier: MIT
 *
 * Work before main and after it. */
int work(int rounds);

__attribute__((constructor)) static void before(void) { (void)work(1); }
__attribute__((destructor)) static void after(void) { (void)work(1); }
