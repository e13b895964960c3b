/* power.h - powers of two and of e as polynomials without branches, so that loops over them become vector instructions,
 * which calls of the C library do not. */
#ifndef COMPUTE_POWER_H
#define COMPUTE_POWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The larger of any number and one that is not negative: their bits, read as integers, are in the same order. Compared
 * as floats the constant would tempt the compiler into branches, and the loop would not become vector instructions. */
static inline float power_larger_f32(float x, float other)
{
    int32_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &other, sizeof b);
    a = a > b ? a : b;
    memcpy(&x, &a, sizeof x);
    return x;
}

static inline double power_larger_f64(double x, double other)
{
    int64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &other, sizeof b);
    a = a > b ? a : b;
    memcpy(&x, &a, sizeof x);
    return x;
}

static inline float power_smaller_f32(float x, float other)
{
    int32_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &other, sizeof b);
    a = a < b ? a : b;
    memcpy(&x, &a, sizeof x);
    return x;
}

static inline double power_smaller_f64(double x, double other)
{
    int64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &other, sizeof b);
    a = a < b ? a : b;
    memcpy(&x, &a, sizeof x);
    return x;
}

/* 2^-u for u >= 0 as a polynomial around the nearest integer, which then goes straight into the exponent bits: adding
 * 1.5 * 2^23 leaves that integer in the low bits. u is kept where the power is a normal number. */
static inline float power_inverse_f32(float u)
{
    float s = -power_smaller_f32(u, 110.0f), shifted = s + 12582912.0f, f = s - (shifted - 12582912.0f);
    float p = 1.52527338e-5f;
    p = p * f + 1.54035304e-4f;
    p = p * f + 1.33335581e-3f;
    p = p * f + 9.61812911e-3f;
    p = p * f + 5.55041087e-2f;
    p = p * f + 2.40226507e-1f;
    p = p * f + 6.93147181e-1f;
    p = p * f + 1.0f;
    uint32_t integer, bits;
    memcpy(&integer, &shifted, sizeof integer);
    memcpy(&bits, &p, sizeof bits);
    bits += integer << 23;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* The same for u of at most 1000; above that the result means nothing. */
static inline double power_inverse_within(double u)
{
    double s = -u, shifted = s + 6755399441055744.0, f = s - (shifted - 6755399441055744.0);
    double p = 4.454904433560099e-10;
    p = p * f + 7.072585959080879e-09;
    p = p * f + 1.0178062779987715e-07;
    p = p * f + 1.3215442589329056e-06;
    p = p * f + 1.5252733829151053e-05;
    p = p * f + 0.0001540353044172632;
    p = p * f + 0.0013333558146417508;
    p = p * f + 0.009618129107606907;
    p = p * f + 0.05550410866482159;
    p = p * f + 0.24022650695910097;
    p = p * f + 0.6931471805599453;
    p = p * f + 1.0;
    uint64_t integer, bits;
    memcpy(&integer, &shifted, sizeof integer);
    memcpy(&bits, &p, sizeof bits);
    bits += integer << 52;
    memcpy(&p, &bits, sizeof p);
    return p;
}

static inline double power_inverse_f64(double u)
{
    return power_inverse_within(power_smaller_f64(u, 1000.0));
}

/* e^x for x <= 0, within 1e-13 of itself where it is above 1e-300; exactly 0 below that, NaN for NaN. */
static inline double power_of_e(double x)
{
    double u = x * -M_LOG2E, p = power_inverse_within(u);
    int64_t bits, power;
    memcpy(&bits, &u, sizeof bits);
    memcpy(&power, &p, sizeof power);
    int64_t size = bits & INT64_MAX;
    power = size >= 0x408f400000000000 ? 0 : power;   /* 1000 */
    power = size > 0x7ff0000000000000 ? size : power; /* NaN */
    memcpy(&p, &power, sizeof p);
    return p;
}

/* ln x for x >= 0, within 4e-16 of itself or of 1, whichever is larger; -INFINITY for 0, NaN for NaN. x = 2^k m with m
 * around 1, and ln m = 2 artanh((m - 1) / (m + 1)). */
static inline double power_logarithm(double x)
{
    uint64_t given, bits, shifted;
    double larger = x * 0x1p54, m, k;
    memcpy(&given, &x, sizeof given);
    memcpy(&bits, &larger, sizeof bits);
    uint64_t subnormal = given < 0x0010000000000000;
    bits = subnormal ? bits : given;
    /* sqrt(1/2) to sqrt(2) have the exponent 0 here; 1023 is added so that the shift may ignore the sign. */
    shifted = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
    uint64_t exponent = shifted >> 52;
    bits -= (exponent - 1023) << 52;
    memcpy(&m, &bits, sizeof m);
    /* As an integer in the low bits of 1.5 * 2^52, which is a number without a conversion. */
    exponent += 0x4338000000000000 - 1023 - (subnormal ? 54 : 0);
    memcpy(&k, &exponent, sizeof k);
    k -= 6755399441055744.0;
    double s = (m - 1) / (m + 1), z = s * s, p = 2.0 / 21;
    p = p * z + 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    double result = k * M_LN2 + (2 * s + s * z * p);
    memcpy(&bits, &result, sizeof bits);
    bits = given ? bits : 0xfff0000000000000; /* -INFINITY */
    bits = given >= 0x7ff0000000000000 ? given : bits;
    memcpy(&result, &bits, sizeof result);
    return result;
}

#endif
