/* How bad a finding is. */
#pragma once

enum level {
	LEVEL_OFF = 0, /* in --severity: never reported; in --fail-on: never */
	LEVEL_INFO,
	LEVEL_WARNING,
	LEVEL_ERROR,
};
