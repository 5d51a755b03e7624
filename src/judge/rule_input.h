/* struct rule_input: what a rule about a file is given. */
#pragma once

#include "base/settings.h"
#include "measure/label_stats.h"
#include "read/photo.h"
#include "read/sample.h"

/* One measured file, as a rule sees it. It owns nothing. */
struct rule_input {
	const struct settings *settings;
	const struct sample *sample;
	const struct label_stats *stats;
	const struct id_stats *ids; /* stats->ids_count rows, sorted by id */
	/* With --images, else NULL. For an image without a label file the rest of the input is empty. */
	const struct pairing *pairing;
	unsigned interpolation; /* the tests that hold (enum interpolation_test); 0 if the file was not read */
};
