/* The pictures of masks in the HTML report. A finding and its picture link to each other. */
#pragma once

#include "base/strbuf.h"
#include "judge/finding_list.h"
#include "report/report.h"

/* Appends the section of the pictures. */
void html_add_pictures(const struct report *r, struct strbuf *out);

#define HTML_NO_PICTURE SIZE_MAX

/* Returns N of the picture of a finding, whose element is #picture-N, and which links to #finding-N. pictures: or NULL.
 */
size_t html_picture_of(const struct thumbnails *pictures, const struct kept_finding *f);
