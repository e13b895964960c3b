"""Epochs are told while networks are trained; a training that ended early goes on from its checkpoint."""
import os
import signal
import subprocess
import sys
import threading
import unittest

from support import FolderTest, gbv, photographers

ENDLESS = {"model": "cnn", "epochs": 1 << 20, "batch": 8}

INTERRUPTED = """
import gbv, numpy as np
x = np.random.default_rng(0).integers(0, 255, (32, 8, 8), np.uint8)
y = np.arange(32) % 3
try:
    gbv.train({"a": (x, y)}, "equal", model="cnn", epochs=1 << 20, on_epoch=lambda epoch: print("heard", flush=True))
except KeyboardInterrupt:
    print("stopped")
"""


class Epochs(FolderTest):
    def test_every_epoch_is_told_in_order_and_in_the_callers_thread(self):
        _, sources = photographers()
        heard = []

        def hear(epoch):
            self.assertIs(threading.current_thread(), threading.main_thread())
            heard.append(epoch)

        gbv.train(sources, "equal", model="cnn", epochs=3, batch=8, learning_rate=0.01, on_epoch=hear,
                  training=gbv.Training(optimizer="sgd", schedule="constant", held_out=0.25))
        self.assertEqual([(epoch.subject, epoch.epoch, epoch.epochs) for epoch in heard],
                         [("final", 1, 3), ("final", 2, 3), ("final", 3, 3)])
        best = float("inf")
        for epoch in heard:
            self.assertEqual(epoch.learning_rate, 0.01)
            self.assertEqual(epoch.rows, 36)
            self.assertGreater(epoch.loss, 0)
            self.assertGreater(epoch.seconds, 0)
            self.assertTrue(0 <= epoch.held_out_accuracy <= 1)
            self.assertEqual(epoch.best, epoch.held_out_loss < best)
            best = min(best, epoch.held_out_loss)
        heard.clear()
        gbv.train(sources, "equal", model="cnn", epochs=1, on_epoch=hear, training=gbv.Training(held_out=0))
        self.assertEqual(len(heard), 1)
        self.assertNotEqual(heard[0].held_out_loss, heard[0].held_out_loss)  # nan: nothing is held out

    def test_the_models_of_sources_are_told_by_name(self):
        reference, sources = photographers()
        heard = []
        gbv.value(reference, sources, model="cnn", epochs=2, cache=None, on_epoch=heard.append)
        self.assertEqual(sorted((epoch.subject, epoch.epoch) for epoch in heard),
                         [("camera 0", 1), ("camera 0", 2), ("camera 1", 1), ("camera 1", 2)])

    def test_the_callback_can_end_the_run(self):
        reference, sources = photographers()

        def fail(epoch):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            gbv.train(sources, "equal", on_epoch=fail, **ENDLESS)
        with self.assertRaisesRegex(gbv.InterruptedRun, "the on_epoch callback asked to stop"):
            gbv.value(reference, sources, on_epoch=lambda epoch: True, **ENDLESS)
        self.assertEqual(gbv.train(sources, "pooled", model="cnn", epochs=1).kind, "cnn")

    def test_control_c_is_a_keyboard_interrupt(self):
        child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
        self.assertEqual(child.stdout.readline(), "heard\n")
        child.send_signal(signal.SIGINT)
        output, complaint = child.communicate(timeout=60)
        self.assertEqual([line for line in output.splitlines() if line != "heard"], ["stopped"])
        self.assertEqual((child.returncode, complaint), (0, ""))


class Checkpoints(FolderTest):
    def test_what_was_ended_goes_on_to_the_same_weights(self):
        _, sources = photographers()
        brief = {"model": "cnn", "epochs": 40, "batch": 8, "training": gbv.Training(threads_per_model=1)}

        def stop(epoch):
            raise RuntimeError("that is enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            gbv.train(sources, "equal", checkpoint="run.ck", on_epoch=stop, **brief)
        self.assertTrue(os.path.exists("run.ck"))
        self.assert_fails(gbv.UsageError, "run.ck: is there already", gbv.train, sources, "equal", checkpoint="run.ck",
                          **brief)
        gbv.train(sources, "equal", checkpoint="run.ck", resume=True, **brief).save("resumed.safetensors")
        gbv.train(sources, "equal", **brief).save("whole.safetensors")
        with open("resumed.safetensors", "rb") as resumed, open("whole.safetensors", "rb") as whole:
            self.assertEqual(resumed.read(), whole.read())


if __name__ == "__main__":
    unittest.main()
