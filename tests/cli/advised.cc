/* SPDX-License-Identifier: MIT
 *
 * Small functions of all kinds of names, called often, and slow ones whose names have theirs in
 * them: a millisecond is far more than the small ones take and less than the slow ones do. With
 * QUIET the attribute stands where `stint advise` says. */
#include <time.h>

#ifdef QUIET
#define SMALL __attribute__((no_instrument_function))
#else
#define SMALL
#endif
#define KEPT __attribute__((noinline))

static __attribute__((no_instrument_function)) void slow()
{
    struct timespec two_ms = {0, 2000000};
    nanosleep(&two_ms, 0);
}

extern "C" {
SMALL int c_tiny(int x);
int c_tiny(int x) { return x + 1; }
KEPT int get(int x) { return x * 2; }
KEPT int get_all(int x)
{
    slow();
    return x;
}
}

namespace ns
{
SMALL int plain(int x, int y) { return x - y; }
KEPT void heavy(int) { slow(); }
template <class A, class B> struct Pair {
    A a;
    B b;
    SMALL A first(A x) { return x + a; }
    KEPT B last(B x)
    {
        slow();
        return x + b;
    }
};
struct Number {
    int v;
    SMALL explicit Number(int x) : v(x) {}
    SMALL int operator<(const Number &o) const { return v < o.v; }
    SMALL operator bool() const { return v; }
    KEPT int sum(int x)
    {
        slow();
        return v + x;
    }
};
template <class T> SMALL T twice(T x) { return x + x; }
} // namespace ns
namespace
{
SMALL int hidden(int x) { return x ^ 1; }
} // namespace

int main()
{
    int total = 0;
    ns::Pair<int, long> pair = {1, 2};
    auto lambda = [](int x) { return x + 3; };
    for (int i = 0; i < 2000; i++) {
        ns::Number number(i);
        total += c_tiny(i) + get(i) + ns::plain(i, 1) + pair.first(i) + (number < ns::Number(3));
        total += number ? ns::twice<int>(i) : hidden(i);
        total += hidden(i) + lambda(i);
    }
    ns::heavy(1);
    ns::Number(2).sum(1);
    total += get_all(1) + (int)pair.last(2);
    return total == 42;
}
