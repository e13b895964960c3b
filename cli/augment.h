/* augment.h - the parts of gbv augment. */
#ifndef CLI_AUGMENT_H
#define CLI_AUGMENT_H

#include "options.h"

/* gbv augment apply; the arguments are those after `apply`. */
int augment_apply_run(const command *self, int count, char **arguments);

#endif
