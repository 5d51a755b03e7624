/* The version, in one place: the report, --version and the manual pages. */
#pragma once

#define LABELAUDIT_VERSION "0.1.0"
