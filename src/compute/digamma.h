/* digamma.h - the derivative of the logarithm of the gamma function, which the C library lacks. */
#ifndef COMPUTE_DIGAMMA_H
#define COMPUTE_DIGAMMA_H

/* For x > 0; within 1e-14 of the truth, relative to the larger of it and one. */
double digamma(double x);

#endif
