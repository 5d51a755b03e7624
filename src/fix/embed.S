/* The data files of fix: the JSON Schema of plans and receipts (plan_report.h). */
#include "base/embed.h"

	EMBED fix_schema, .incbin "src/fix/schema.json"
