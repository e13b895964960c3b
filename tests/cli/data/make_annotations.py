"""Writes annotations of the rows of reference.csv by four people in every form that gbv reads, with the items they
label: items.csv (named by file), export.json and the rest. The people are right to a falling extent; numbers come from
a small generator of its own, so that every Python writes the same.

    python3 make_annotations.py FOLDER-WITH-REFERENCE.CSV
"""
import csv
import json
import sys

folder = sys.argv[1]
with open(f"{folder}/reference.csv") as file:
    rows = list(csv.DictReader(file))
classes = sorted({row["label"] for row in rows})
state = 12345


def draw(bound):
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return (state >> 8) % bound


with open(f"{folder}/items.csv", "w") as file:
    file.write("file,a,b,c,d\n")
    for i, row in enumerate(rows):
        file.write(f"photos/{i}.jpg,{row['a']},{row['b']},{row['c']},{row['d']}\n")

people = [(1, "anna@example.org", 0), (2, "ben@example.org", 25), (3, "cleo@example.org", 50), (4, "dan@example.org", 75)]
labels = {}  # (item, person): label
for i, row in enumerate(rows):
    for number, _, wrong in people:
        if draw(100) < 70:
            labels[i, number] = row["label"] if draw(100) >= wrong else classes[draw(len(classes))]
gold = range(0, len(rows), 4)


def result(label):
    return [{"id": "x", "from_name": "choice", "to_name": "image", "type": "choices", "value": {"choices": [label]}}]


tasks, short = [], []
for i, row in enumerate(rows):
    image = f"/data/upload/1/{draw(2**28):08x}-{i}.jpg"
    annotations = [{"id": 10 * i + n, "completed_by": {"id": n, "email": email}, "result": result(labels[i, n]),
                    "was_cancelled": False, "ground_truth": False, "updated_at": f"2024-05-01T10:00:0{n}.5Z"}
                   for n, email, _ in people if (i, n) in labels]
    for a in annotations:
        short.append({"image": image, "id": 1000 + i, "choice": a["result"][0]["value"]["choices"][0],
                      "annotator": a["completed_by"]["id"], "annotation_id": a["id"], "created_at": a["updated_at"],
                      "updated_at": a["updated_at"], "lead_time": 2.5})
    if i in gold:
        annotations.append({"id": 10 * i, "completed_by": 9, "result": result(row["label"]), "ground_truth": True})
    tasks.append({"id": 1000 + i, "data": {"image": image}, "annotations": annotations, "predictions": []})
# Someone changed his mind, left a draft, skipped one, and labelled what is no item.
last = dict(tasks[1]["annotations"][0], updated_at="2020-01-01T00:00:00Z", result=result("never"))
tasks[1]["annotations"].append(last)
tasks[1]["drafts"] = [{"result": []}]
tasks[2]["annotations"].append(dict(last, was_cancelled=True))
tasks[3]["annotations"].append(dict(last, result=[]))
tasks.append({"id": 9999, "data": {"image": "/data/upload/1/0a1b2c3d-gone.jpg"}, "annotations": [last]})


def write_json(name, value):
    with open(f"{folder}/{name}", "w") as out:
        json.dump(value, out, indent=1)


def write_csv(name, header, lines):
    with open(f"{folder}/{name}", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)


write_json("export.json", tasks)
write_json("export_min.json", short)
write_csv("export.csv", sorted(short[0]), [[record[key] for key in sorted(record)] for record in short])
write_csv("long.csv", ["task", "worker", "label"], [[f"{i}.jpg", n, label] for (i, n), label in labels.items()])
write_csv("wide.csv", ["1", "2", "3", "4"],
          [[labels.get((i, n), "") for n, _, _ in people] for i in range(len(rows))])
write_json("argilla.json", [{"id": f"{i}.jpg", "fields": {"text": "t"}, "responses": {"animal": [
    {"value": labels[i, n], "user_id": str(n), "status": "submitted"} for n, _, _ in people if (i, n) in labels]}}
    for i in range(len(rows))])
write_csv("gold.csv", ["task", "label"], [[f"{i}.jpg", rows[i]["label"]] for i in gold])
