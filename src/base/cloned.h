/* cloned.h - one loop for every instruction set. */
#ifndef BASE_CLONED_H
#define BASE_CLONED_H

/* Lets GCC build a loop once per instruction set and choose at load time. Sanitizers do not take it. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GBV_SANITIZE)
#define CLONED __attribute__((target_clones("default", "avx2,fma", "arch=x86-64-v4")))
#else
#define CLONED
#endif

#endif
