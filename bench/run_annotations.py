#!/usr/bin/python3
"""Reading a large Label Studio export: seconds, megabytes a CPU second, and peak memory as a multiple of the file's size.

    bench/run_annotations.py [--program build/gbv] [--megabytes 500]

The export has 40 annotators, three annotations a task, and the fields that Label Studio writes. `gbv check` reads it
with its items and a table of gold labels, and trains nothing.
"""
import argparse
import os
import random
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANNOTATORS, CLASSES = 40, ["cat", "dog", "owl", "fox"]
ANNOTATION = (
    '{"id": %d, "completed_by": {"id": %d, "email": "annotator%d@example.org", "first_name": "Ann", "last_name": "O."}, '
    '"result": [{"id": "Dx_aB91ISN", "type": "choices", "value": {"choices": ["%s"]}, "origin": "manual", '
    '"to_name": "image", "from_name": "choice"}], "was_cancelled": false, "ground_truth": false, '
    '"created_at": "2021-03-09T22:16:08.728353Z", "updated_at": "2021-03-09T22:16:08.728378Z", "draft_created_at": null, '
    '"lead_time": 4.288, "prediction": {}, "result_count": 0, "unique_id": "5d4ad3a4-7b5c-4b4a-9c43-%012d", '
    '"last_action": null, "task": %d, "project": 83, "updated_by": 10, "parent_prediction": null}')
TASK = (
    '{"id": %d, "annotations": [%s], "file_upload": "%08x-img_%d.jpg", "drafts": [], "predictions": [], '
    '"data": {"image": "/data/upload/83/%08x-img_%d.jpg"}, "meta": {}, "created_at": "2021-03-09T21:52:49.513742Z", '
    '"updated_at": "2021-03-09T22:16:08.746926Z", "inner_id": %d, "total_annotations": 3, "cancelled_annotations": 0, '
    '"total_predictions": 0, "comment_count": 0, "project": 83, "updated_by": 10, "comment_authors": []}')


def write_export(folder, target):
    draw = random.Random(3)
    size = task = annotation = 0
    with open(os.path.join(folder, "export.json"), "w") as out, open(os.path.join(folder, "items.csv"), "w") as items, open(
            os.path.join(folder, "gold.csv"), "w") as gold:
        items.write("file,a,b\n")
        gold.write("task,label\n")
        out.write("[")
        while size < target:
            truth, parts = draw.randrange(len(CLASSES)), []
            for person in draw.sample(range(ANNOTATORS), 3):
                label = CLASSES[truth if draw.random() < 0.8 else draw.randrange(len(CLASSES))]
                parts.append(ANNOTATION % (annotation, person, person, label, annotation, task))
                annotation += 1
            prefix = draw.getrandbits(32)
            text = TASK % (task, ", ".join(parts), prefix, task, prefix, task, task)
            size += out.write((",\n" if task else "\n") + text)
            items.write(f"img_{task}.jpg,{draw.gauss(truth, 1):.3f},{draw.gauss(-truth, 1):.3f}\n")
            if task % 100 == 0:
                gold.write(f"img_{task}.jpg,{CLASSES[truth]}\n")
            task += 1
        out.write("\n]\n")
    return task, annotation


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbv"))
    parser.add_argument("--megabytes", type=float, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tasks, annotations = write_export(folder, options.megabytes * 1e6)
        size = os.path.getsize(os.path.join(folder, "export.json"))
        begin = time.perf_counter()
        child = subprocess.Popen([os.path.abspath(options.program), "check", "--annotations", "export.json", "--items",
                                  "items.csv", "--gold", "gold.csv"], cwd=folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        if status != 0:
            raise SystemExit(f"gbv check failed with {os.waitstatus_to_exitcode(status)}")
        peak = 1024 * usage.ru_maxrss
        cpu = usage.ru_utime + usage.ru_stime
        print("| export | tasks | annotations | seconds | CPU seconds | MB per CPU second | peak memory | of the file's size |")
        print("|---|---|---|---|---|---|---|---|")
        print(f"| {size / 1e6:.0f} MB | {tasks:,} | {annotations:,} | {seconds:.1f} | {cpu:.1f} | {size / cpu / 1e6:.0f} | "
              f"{peak / 1e6:.0f} MB | {peak / size:.2f} |")


if __name__ == "__main__":
    main()
