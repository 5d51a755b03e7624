/* The version, in one place: the report, --version and the manual pages. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define LABELAUDIT_VERSION "0.1.0"

#endif
