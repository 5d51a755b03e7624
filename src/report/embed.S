/* The data file of the reports: the style of the page (html_page.c). */
#include "base/embed.h"

	EMBED page_css, .incbin "src/report/page.css"
