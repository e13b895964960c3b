#include "compute/digamma.h"

#include <math.h>

double digamma(double x)
{
    /* psi(x) = psi(x + 1) - 1/x carries small arguments to where the asymptotic series has converged. */
    double carried = 0;
    for (; x < 10; x++)
        carried += 1 / x;
    double t = 1 / (x * x);
    double series =
        t *
        (1.0 / 12 -
         t * (1.0 / 120 - t * (1.0 / 252 - t * (1.0 / 240 - t * (1.0 / 132 - t * (691.0 / 32760 - t * (1.0 / 12)))))));
    return log(x) - 0.5 / x - series - carried;
}
