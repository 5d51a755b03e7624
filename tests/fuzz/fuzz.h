/*
 * Shared by the fuzz targets, fuzz_<parser>.c, each of which is one LLVMFuzzerTestOneInput.
 *
 * libFuzzer drives them in `make fuzz`; replay_main.c drives them through their corpora in `make check`. A target fails
 * by a sanitizer's report or by FUZZ_CHECK. It may keep memory from input to input, but no verdict.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "measure/label_measurer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define FUZZ_CHECK(condition)                                                                          \
	do {                                                                                           \
		if (!(condition)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                       \
		}                                                                                      \
	} while (0)

/* Classes 0-12 and 40-90, the second one called "cat"; 255 ignored; limits that one input cannot reach slowly. A target
 * may change what it sets for each input. */
struct settings *fuzz_settings(void);

/* A copy of exactly n bytes, so that a sanitizer sees a read past them; to be freed. */
uint8_t *fuzz_copy(const uint8_t *data, size_t n);

/* An anonymous file with these bytes. */
int fuzz_fd(const uint8_t *data, size_t n);
/* The same by a path, which ends in `extension` (NULL: has none); valid, with its bytes, until the next call. */
const char *fuzz_path(const uint8_t *data, size_t n, const char *extension);

/* Measures the bytes as a label file, from memory and as a stream, which must come to the same. */
void fuzz_measure(enum sample_format format, const uint8_t *data, size_t n);
