/* The version, in one place: the report, --version and the manual pages. */
#pragma once

#define LABELAUDIT_VERSION "0.1.0"

/* The address of the repository, as HOMEPAGE of make says; "": unknown. */
#ifndef LABELAUDIT_HOMEPAGE
#define LABELAUDIT_HOMEPAGE ""
#endif
