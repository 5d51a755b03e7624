#include "base/settings.h"

const char *level_name(enum level level)
{
	static const char *const names[] = { "off", "info", "warning", "error" };

	return names[level];
}

const char *view_name(enum view view)
{
	static const char *const names[] = { "pil", "raw", "cv2" };

	return names[view];
}
