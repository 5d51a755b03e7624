/* Words the findings about leaks: masks, images or groups that are in two splits. */
#pragma once

#include <stdbool.h>

#include "judge/dataset.h"
#include "judge/finding.h"

/* Reports "3 groups are in more than one of train, val: train/1.png and val/2.png are `alike`". Returns false if none.
 */
bool leak_finding(struct finding *f, const struct dataset_stats *d, enum content_of of, const char *thing,
		  const char *alike);
