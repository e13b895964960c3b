/* gbv augment - what augmentors are worth for a training set: a policy to train with. */
#include "augment.h"

#include <stdio.h>
#include <string.h>

#include "page.h"
#include "run.h"
#include "say.h"
#include "use.h"
#include "valuing.h"

typedef struct augment_choices {
    gbv_augment_options options;
    const char *images, *tau, *intervals, *cache, *sheet;
    size_t sheet_images;
    bool dry_run;
} augment_choices;

enum { AUGMENT_OPTIONS = 29, SHEET_IMAGES = 4 };

static void own_options(augment_choices *chosen, run_options *show, option table[AUGMENT_OPTIONS])
{
    gbv_augment_options *o = &chosen->options;
    const option all[AUGMENT_OPTIONS] = {
        UNDER(HEADING_INPUTS),
        {"images", OPTION_TEXT, &chosen->images, "DATASET",
         "the labelled training images: a folder CLASS/IMAGE, or bytes in NPZ, NPY, IDX or CIFAR files", 0},
        UNDER(HEADING_MODEL),
        {"model", OPTION_TEXT, &o->model, "NAME", "what --pretrained must hold (default: whatever it does)", 0},
        {"pretrained", OPTION_TEXT, &o->pretrained, "FILE",
         "the universal model: weights of a network with their head (safetensors)", 0},
        UNDER(HEADING_VALUATION),
        {"measure", OPTION_TEXT, &o->measure, "NAME", "what augmentors are scored by (default: leep)", 0},
        {"variant", OPTION_TEXT, &o->variant, "NAME", "form of the measure (default: its first)", 0},
        {"tau", OPTION_TEXT, &chosen->tau, "quick|code|VALUE",
         "temperature (default: quick, 1/log2 of the augmentors weighed)", 0},
        {"grid", OPTION_WORD, &o->grid, "paper|code",
         "magnitudes of the operators: the paper's (default) or those of the authors' program", 0},
        {"noise", OPTION_WORD, &o->noise, "own|paper|code",
         "noise before (paper) or after (code) pixels are normalised (default: the grid's own)", 0},
        {"prior", OPTION_WORD, &o->prior, "uniform|operator", "equal shares of augmentors (default), or of operators",
         0},
        {"top-k", OPTION_COUNT, &o->top_k, "K",
         "weigh only the K best magnitudes of each operator, as the authors' program does with 2", 0},
        {"subset", OPTION_COUNT, &o->subset, "N",
         "score N images, classes in proportion, with intervals (default: all)", 0},
        {"intervals", OPTION_TEXT, &chosen->intervals, "N|off",
         "resamplings of a subset for the intervals (default: 200)", 0},
        {"continuous", OPTION_FLAG, &o->continuous, NULL, "also a density over all magnitudes, from the same scores",
         0},
        {"check-density", OPTION_FLAG, &o->check_density, NULL,
         "and what more evaluations, Metropolis-Hastings and a Beta form make of it", 0},
        {"seed", OPTION_SEED, &o->seed, "N", "signs, noise, the subset and the intervals", 0},
        UNDER(HEADING_OUTPUT),
        {"contact-sheet", OPTION_TEXT, &chosen->sheet, "FILE",
         "a picture (.png, .jpg) with every augmentor on a few images, and its probability", 0},
        {"sheet-images", OPTION_COUNT, &chosen->sheet_images, "N", "how many images, up to 8 (default: 4)", 0},
        UNDER(HEADING_RUN),
        {"dry-run", OPTION_FLAG, &chosen->dry_run, NULL,
         "check everything, then say how many passes over the images there would be and how long", 0},
        {"memory", OPTION_SIZE, &o->memory, "SIZE",
         "of what the model says, held at once when images must be decoded anew (default: 1G)", 0},
        {"cache", OPTION_TEXT, &chosen->cache, "DIR|off",
         "where scores are kept, by which an interrupted run goes on (default: $GBV_CACHE, else ~/.cache/gbv/models)",
         0},
        {"cache-size", OPTION_SIZE, &o->cache_bytes, "SIZE", "what it may hold (default: 4G)", 0},
        {"verbose", OPTION_FLAG, &show->verbose, NULL, "say on stderr what was read", 'v'},
        {0},
    };
    memcpy(table, all, sizeof all);
}

static size_t sheet_images(const augment_choices *chosen)
{
    return chosen->sheet_images ? chosen->sheet_images : SHEET_IMAGES;
}

static int check(const command *self, augment_choices *chosen)
{
    gbv_augment_options *o = &chosen->options;
    gbv_error error;
    if (!chosen->images)
        return complain(self, GBV_USAGE, "no images are named: give the training images with --images DATASET");
    if (!o->pretrained)
        return complain(self, GBV_USAGE,
                        "no universal model is named: give its weights with --pretrained FILE (docs/formats.md)");
    if (chosen->sheet && !path_can_be_written(chosen->sheet))
        return complain(self, GBV_FAILED, "%s: cannot be written: check the folder", chosen->sheet);
    if (chosen->sheet_images && !chosen->sheet)
        return complain(self, GBV_USAGE, "--sheet-images goes with --contact-sheet FILE");
    if (chosen->sheet && gbv_contact_sheet_check(sheet_images(chosen), chosen->sheet, &error) != GBV_OK)
        return complain(self, GBV_USAGE, "%s", error.message);
    if (chosen->dry_run && chosen->sheet)
        return complain(self, GBV_USAGE, "a dry run finds no probabilities to show: leave out --contact-sheet");
    o->cache = valuing_cache(chosen->cache);
    int code = valuing_tau(self, chosen->tau, &o->tau_mode, &o->tau);
    return code == PARSED ? valuing_intervals(self, chosen->intervals, &o->replicates) : code;
}

/* The images as the model wants them; of the model that is all. */
static int read_images(const command *self, const augment_choices *chosen, const run_options *show, use *u)
{
    gbv_error error = {0};
    gbv_status status = gbv_model_read_pretrained(chosen->options.pretrained, chosen->options.model, &u->model, &error);
    int code = use_open(self, u, status, &error, chosen->images);
    gbv_model_free(u->model);
    u->model = NULL;
    gbv_image_shape shape = u->dataset ? gbv_dataset_image_shape(u->dataset) : (gbv_image_shape){0};
    if (code == PARSED && show->verbose)
        say(stderr, GBV_STYLE_DIM, "gbv:", "%s: %zu images of %zu x %zu pixels, %zu classes", chosen->images,
            gbv_dataset_rows(u->dataset), shape.height, shape.width, gbv_dataset_class_count(u->dataset));
    return code;
}

static int write_policy(const command *self, const augment_choices *chosen, const run_options *show,
                        const gbv_dataset *images, const gbv_policy *policy)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    gbv_terminal terminal = gbv_terminal_of(stdout);
    if (show->output || show->format != GBV_FORMAT_TABLE)
        status = gbv_policy_report(policy, show->format, show->output, &error);
    /* -o policy.json still shows the table; an explicit --format asks for that and nothing else. */
    bool table = show->output ? !show->quiet && !show->format_name : show->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && table)
        status = gbv_policy_table(policy, stdout, &terminal, &error);
    if (status == GBV_OK && chosen->sheet)
        status = gbv_contact_sheet_write(policy, images, sheet_images(chosen), chosen->sheet, &error);
    gbv_page_options page = page_options();
    if (status == GBV_OK && page_path())
        return page_done(self, gbv_policy_page(policy, &page, page_path(), &error), &error);
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
}

static int show_plan(const command *self, augment_choices *chosen, run_options *show, const gbv_dataset *images)
{
    gbv_plan *plan = NULL;
    gbv_error error;
    double reading = run_now() - show->started;
    gbv_status status = gbv_augment_plan(images, &chosen->options, &plan, &error);
    int code = run_show_plan(self, show, reading, status, plan, &error);
    gbv_plan_free(plan);
    return code;
}

static int value(const command *self, augment_choices *chosen, run_options *show, const gbv_dataset *images)
{
    gbv_policy *policy = NULL;
    gbv_error error;
    gbv_status status = gbv_augment(images, &chosen->options, &policy, &error);
    run_end_progress(show);
    int code = status == GBV_OK ? write_policy(self, chosen, show, images, policy)
                                : complain(self, (int)status, "%s", error.message);
    if (code == GBV_OK) {
        gbv_metric more[] = {{"evaluations", (double)policy->evaluations},
                             {"evaluations_found", (double)policy->evaluations_found},
                             {"valuation_seconds", policy->seconds},
                             {"forward_seconds", policy->forward_seconds}};
        show->more_metrics = more;
        show->more_count = sizeof more / sizeof *more;
        code = run_finish(self, show, chosen->options.threads);
    }
    gbv_policy_free(policy);
    return code;
}

static int run(const command *self, int count, char **arguments)
{
    if (count > 0 && strcmp(arguments[0], "apply") == 0)
        return augment_apply_run(self, count - 1, arguments + 1);
    augment_choices chosen = {.options = gbv_augment_defaults()};
    run_options show = {0};
    use u = {0};
    option own_table[AUGMENT_OPTIONS], use_table[USE_OPTIONS], output_table[OUTPUT_OPTIONS],
        progress_table[PROGRESS_OPTIONS];
    own_options(&chosen, &show, own_table);
    use_options(&u, use_table);
    run_output_options(&show, output_table);
    run_progress_options(&show, &u.threads, progress_table);
    int code = options_parse(self, (const option *const[]){own_table, use_table, output_table, progress_table, NULL},
                             count, arguments, NULL);
    if (code == PARSED)
        code = check(self, &chosen);
    if (code == PARSED && chosen.dry_run)
        code = page_refuse(self, "a dry run finds nothing that could stand on a page: leave it out");
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED)
        code = read_images(self, &chosen, &show, &u);
    if (code == PARSED) {
        chosen.options.threads = u.threads;
        chosen.options.backend = u.backend;
        run_watch(&show, &chosen.options.progress, &chosen.options.context);
        code = (chosen.dry_run ? show_plan : value)(self, &chosen, &show, u.dataset);
    }
    use_close(&u);
    return code;
}

extern const command command_augment;
const command command_augment = {
    .name = "augment",
    .usage = "--images DATASET --pretrained WEIGHTS [options] | apply --op NAME --magnitude M IN OUT",
    .summary = "what augmentors are worth for a training set, as a policy to train with; or apply one to an image",
    .examples =
        "  gbv augment --images birds/ --model resnet50 --pretrained resnet50.safetensors -o policy.json\n"
        "  gbv augment --images birds/ --pretrained resnet18.safetensors --subset 500 --contact-sheet sheet.png\n"
        "  gbv augment apply --op rotate --magnitude 45 in.png out.png\n",
    .run = run,
    .own_page = true,
};
