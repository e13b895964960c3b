/* A handler of signals that runs in the middle of a step changes nothing: programs that use the library may have
 * timers, profilers and Ctrl-C. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "nn/program.h"

enum { BATCH = 8, SIDE = 32, STEPS = 60 };
static volatile sig_atomic_t heard;

static void hear(int signal_number)
{
    (void)signal_number;
    heard++;
}

static void ring(long microseconds)
{
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, NULL);
}

static double train(const char *kind, net_values *values)
{
    net *n;
    program *p;
    static unsigned char pixels[BATCH * 3 * SIDE * SIDE];
    int32_t targets[BATCH];
    float weights[BATCH];
    double loss = 0;
    assert_int_equal(net_create(kind, &(net_options){.channels = 3, .outputs = 10, .hidden = 8}, &n, NULL), GBV_OK);
    assert_int_equal(net_values_create(n, values, NULL), GBV_OK);
    net_initialise(n, 1, "signals", 0, values);
    program_options options = {.backend = backend_find(NULL), .batch = BATCH, .in = {3, SIDE, SIDE}, .train = true};
    assert_int_equal(program_compile(n, &options, &p, NULL), GBV_OK);
    program_load(p, values);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 2654435761u >> 13);
    for (int i = 0; i < BATCH; i++) {
        targets[i] = i;
        weights[i] = 1;
    }
    image_batch images = {.bytes = pixels, .of = options.in, .channels = 3, .deviation = {1, 1, 1}};
    for (uint64_t step = 1; step <= STEPS; step++) {
        program_images(p, &images);
        program_forward(p, 0);
        loss = program_loss(p, (cross_entropy_task){.rows = BATCH, .targets = targets, .weights = weights});
        program_backward(p);
        program_update(p,
                       &(optimizer_step){.kind = OPTIMIZER_ADAM,
                                         .rate = 1e-4f,
                                         .first_decay = 0.9f,
                                         .second_decay = 0.999f,
                                         .epsilon = 1e-8f,
                                         .step = step},
                       true);
    }
    program_store(p, values);
    program_free(p);
    net_free(n);
    return loss;
}

static void a_step_that_is_interrupted_by_handlers_is_the_same(void **state)
{
    (void)state;
    net_values quiet, loud;
    const char *kind = backend_at(1) ? "resnet18" : "cnn"; /* plain loops alone would take long */
    double alone = train(kind, &quiet);
    struct sigaction action = {.sa_handler = hear, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    ring(300);
    double rung = train(kind, &loud);
    ring(0);
    assert_true(heard > 20);
    assert_true(rung == alone);
    assert_memory_equal(quiet.parameters, loud.parameters, 1000000 * (backend_at(1) != NULL) + 10);
    net_values_free(&quiet);
    net_values_free(&loud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_that_is_interrupted_by_handlers_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
