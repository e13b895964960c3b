/* density.h - the magnitudes of one operator: a density whose logarithm is linear between nodes, with
 * mass, mean and draws in closed form.
 *
 * Everything is reckoned in log space, from the best score down, so that scores of any size and spread are safe. A
 * node whose score is -INFINITY takes the magnitudes on both sides of it, up to the next nodes, out of the density.
 */
#ifndef AUGMENT_DENSITY_H
#define AUGMENT_DENSITY_H

#include <gbv/augment.h>

/* The logarithm of the mean of exp(T / tau) over the operator's range: what its prior is multiplied by. */
double density_log_mass(const gbv_density *density, double inverse_tau);
double density_mean(const gbv_density *density, double inverse_tau);
/* The magnitude that has the share `u` of the probability below it, 0 <= u < 1: uniform numbers give exact draws. */
double density_draw(const gbv_density *density, double inverse_tau, double u);
/* T between the nodes: linear; beyond them that of the nearest. */
double density_score(const gbv_density *density, double magnitude);

/* For those who sum over pieces between two nodes with ends g and g + x of the log density, at places from 0 to 1: the
 * logarithm of its mass and the mean place. */
double density_piece_log_mass(double g, double x);
double density_piece_mean(double x);

void densities_free(gbv_density *densities, size_t count);
void density_check_free(gbv_density_check *check); /* what it holds */

#endif
