"""What the browser tests share: a headless Chromium that must not ask anything of a network, and pages to open in it.

GBV_PROGRAM names the build's program; pictures go to GBV_PICTURES.
"""
import base64
import json
import os
import pathlib
import subprocess

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PROGRAM = os.environ["GBV_PROGRAM"]
PICTURES = pathlib.Path(os.environ["GBV_PICTURES"])
DESKTOP, PHONE = (1280, 860), (360, 740)


class Browser(webdriver.Chrome):
    def __init__(self, size=DESKTOP, script=True, dark=False, downloads=None):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-extensions",
                         "--host-resolver-rules=MAP * ~NOTFOUND"):
            options.add_argument(argument)
        options.add_argument(f"--window-size={size[0]},{size[1]}")
        preferences = {"profile.default_content_setting_values.automatic_downloads": 1}
        if not script:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        if downloads:
            preferences["download.default_directory"] = str(downloads)
        options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(service=Service("/usr/bin/chromedriver"), options=options)
        # A window cannot be as narrow as a telephone; what the page is shown as can.
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                             {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia",
                             {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, path):
        self.get_log("performance")  # what an earlier page asked for is not this one's doing
        self.address = pathlib.Path(path).absolute().as_uri()
        self.get(self.address)

    def complaints(self):
        """What the console says, and every request beyond the page itself."""
        found = [entry["message"] for entry in self.get_log("browser")]
        for entry in self.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if address != self.address and not address.startswith(("data:", "blob:")):
                    found.append("request of " + address)
        return found

    def picture(self, name, whole=False):
        PICTURES.mkdir(parents=True, exist_ok=True)
        options = {"format": "png"}
        if whole:
            size = self.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            options["captureBeyondViewport"] = True
        shot = self.execute_cdp_cmd("Page.captureScreenshot", options)
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    def print_page(self, name):
        """The page as PDF, and the texts of its sheets."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.pdf"
        made = self.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
        path.write_bytes(base64.b64decode(made["data"]))
        subprocess.run(["pdftoppm", "-png", "-r", "70", path, PICTURES / name], check=True)
        return subprocess.run(["pdftotext", "-layout", path, "-"], check=True, capture_output=True,
                              text=True).stdout.split("\f")
