/* SPDX-License-Identifier: MIT
 *
 * A C++ plugin that throws and catches. */
extern "C" int plugin_throws(int times)
{
    int caught = 0;
    for (int i = 0; i < times; i++) {
        try {
            throw i;
        } catch (int) {
            caught++;
        }
    }
    return caught;
}
