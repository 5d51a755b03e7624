/*
 * Weights of the classes for a loss, from their labels. With n(c) the labels of class c, N those of all classes, P the
 * number of classes that occur, and freq(c) = n(c) / N:
 *
 *   median_frequency   median(freq) / freq(c), the median over the classes that occur. Eigen and Fergus (2015), who
 *                      proposed it, divide by the labels of the files that hold c; those are not summed up, so here
 *                      it is the labels of all files.
 *
 *   inverse_frequency  1 / (P * freq(c)): scikit-learn's class_weight="balanced".
 *
 *   effective_number   1 / E(c), scaled so that the classes that occur have the mean 1, with the effective number of
 *                      labels E(c) = (1 - beta^n(c)) / (1 - beta) of Cui et al. (2019) and their beta = (N - 1) / N. A
 *                      fixed beta such as 0.9999 would make all classes of a segmentation equal, since beta^n is 0 for
 *                      any class of more than a few images.
 *
 * A class that never occurs has no weight.
 */
#ifndef REPORT_CLASS_WEIGHTS_H
#define REPORT_CLASS_WEIGHTS_H

#include <stdbool.h>

#include "report/tables.h"

enum class_weight {
	WEIGHT_MEDIAN_FREQUENCY,
	WEIGHT_INVERSE_FREQUENCY,
	WEIGHT_EFFECTIVE_NUMBER,
	CLASS_WEIGHTS,
};

const char *class_weight_name(enum class_weight weight); /* "median_frequency" ... */

/* Appends that of t->classes[row], 6 significant digits; appends nothing and is false if the class never occurs. */
bool class_weight_add(struct strbuf *out, const struct report_tables *t, size_t row, enum class_weight weight);

/* 1 - beta^labels, for tables.c, which sums up the inverses. 0 < labels <= all. */
double class_weight_effective(uint64_t labels, uint64_t all);

#endif
