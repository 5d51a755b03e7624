/* YOLO texts, under the settings that the last byte chooses: tasks, kpt_shape, the names of classes. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct yolo_form forms[] = { { .task = TASK_AUTO },
						  { .task = TASK_DETECT },
						  { .task = TASK_SEGMENT },
						  { .task = TASK_OBB },
						  { .task = TASK_POSE },
						  { .task = TASK_POSE, .keypoints = 2, .numbers = 3 },
						  { .task = TASK_POSE, .keypoints = 17, .numbers = 2 } };
	const uint8_t choice = n ? data[n - 1] : 0;

	fuzz_settings()->yolo = forms[choice % (sizeof(forms) / sizeof(forms[0]))];
	fuzz_measure(FORMAT_YOLO, data, n);
	return 0;
}
