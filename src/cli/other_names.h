/* Names that other programs and papers have for values of options: "did you mean cuda?" for gpu. */
#pragma once

/* Returns the value of an option that is meant by another name; NULL: the name is not known. */
const char *option_other_name(const char *option, const char *value);
