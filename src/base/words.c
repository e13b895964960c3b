#include "base/words.h"

const char *const tau_mode_words[TAU_MODES] = {"quick", "code", "fixed", "auto"};
const char *const score_status_words[3] = {"ok", "minus_infinity", "undefined"};
