/* words.h - words of a result that its readers go by. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

/* What methods by labels look at: feature_space of a result. */
#define SPACE_OF_LABELS "labels of the same items"

#endif
