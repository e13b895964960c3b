/* random.h - counter-based random numbers (Philox 4x32-10, Random123).
 *
 * A number depends only on (seed, subject, purpose, index), never on who draws it or when, so results are the same for
 * any number of workers or shards. `subject` is a source's name or any other text.
 *
 *     random_stream stream = random_stream_open(seed, "annotator-3", RANDOM_LABEL_NOISE);
 *     double u = random_uniform(&stream);
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef enum random_purpose {
    RANDOM_SPLIT,       /* which rows go where */
    RANDOM_LABEL_NOISE, /* simulated annotators' mistakes */
    RANDOM_WEIGHTS,     /* first weights of a network */
    RANDOM_ORDER,       /* order of rows in an epoch */
    RANDOM_CENTRES,     /* first centres of clusters */
    RANDOM_ROW_WEIGHTS, /* replicates over the rows of a reference */
    RANDOM_REFIT,       /* which refit goes with which replicate */
    RANDOM_DRAW,        /* rows of a sample drawn anew */
    RANDOM_DROPOUT,     /* numbers that a training step leaves out */
    RANDOM_HELD_OUT,    /* rows kept out of training */
    RANDOM_PIXEL_NOISE, /* noise that is added to images */
    RANDOM_AUGMENT,     /* what is done to an image: augmentor, sign */
} random_purpose;

typedef struct random_stream {
    uint32_t key[2];
    uint32_t subject[2];
    uint64_t counter;
    uint32_t block[4];
    int left;
} random_stream;

random_stream random_stream_open(uint64_t seed, const char *subject, random_purpose purpose);
/* Goes to block `index` of the stream; a block is two uniform numbers. */
void random_stream_seek(random_stream *stream, uint64_t index);
/* The same for the draw-th of several alike, which share no numbers; 0 is the one above. */
random_stream random_stream_open_draw(uint64_t seed, const char *subject, random_purpose purpose, uint32_t draw);
/* The same for the step-th of a sequence of any length, such as an epoch: none needs the numbers of those before it. */
random_stream random_stream_open_step(uint64_t seed, const char *subject, random_purpose purpose, uint32_t draw,
                                      uint64_t step);
uint32_t random_u32(random_stream *stream);
uint64_t random_u64(random_stream *stream);
/* In [0, 1), 53 bits. */
double random_uniform(random_stream *stream);
/* In 0..bound-1 without bias; bound > 0. */
uint64_t random_below(random_stream *stream, uint64_t bound);
double random_normal(random_stream *stream);
void random_shuffle(random_stream *stream, size_t *items, size_t count);

/* Without a stream, for those who ask for numbers by their place: the index-th block of a key. */
enum { RANDOM_BLOCK = 4 };
void random_block(uint64_t key, uint64_t index, random_purpose purpose, uint32_t block[RANDOM_BLOCK]);
/* Many at once: the j-th number of block first + i goes to words[j * count + i]. */
void random_blocks(uint64_t key, uint64_t first, random_purpose purpose, size_t count, uint32_t *words);

#endif
