/* labelaudit.yaml from the table of folders: globs of the rows that are audited, and of the images. */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "layout/dataset_layout.h"

/* Appends the decisions as settings (labels:, images:). Fails if nothing is audited. */
enum status layout_config(const struct dataset_layouts *layouts, struct strbuf *out, struct error *err);
