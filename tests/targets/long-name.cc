/* SPDX-License-Identifier: MIT
 *
 * A C++ name of more than ten thousand characters, a template, an operator, a lambda, a local
 * static. */
#include "truth.h"

template <class A, class B> struct Pair {
};
typedef Pair<int, int> P1;
typedef Pair<P1, Pair<int, long>> P2;
typedef Pair<Pair<P2, long>, Pair<P2, char>> P3;
template <int depth> struct Nest {
    typedef Pair<typename Nest<depth - 1>::type, Pair<Nest<depth>, typename Nest<depth - 1>::type>>
        type;
};
template <> struct Nest<0> {
    typedef Pair<P3, char> type;
};

template <class T> NOINLINE void takes(T *) { __asm__ volatile(""); }

struct Vector {
    int x;
    NOINLINE Vector operator+(const Vector &other) const
    {
        CALLED_AS("Vector::operator+(Vector const&) const");
        return Vector{x + other.x};
    }
};

int main()
{
    CALLED(main);
    Vector a{1};
    for (int i = 0; i < 3; i++) a = a + a;
    takes((Nest<8>::type *)nullptr);
    truth_tell();
    return a.x == 8 ? 0 : 1;
}
