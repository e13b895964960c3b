"""The wheel holds no compiled module for one Python, only a library for one machine: py3-none-PLATFORM."""
import os

from setuptools import Distribution, setup

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    from setuptools.command.bdist_wheel import bdist_wheel

# tools/make_wheel.py says which platform the library that it put into gbv/lib needs; without one the package is pure.
PLATFORM = os.environ.get("GBV_WHEEL_PLATFORM")


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", PLATFORM) if PLATFORM else super().get_tag()


class PackageWithLibrary(Distribution):
    def has_ext_modules(self):
        return PLATFORM is not None


setup(distclass=PackageWithLibrary, cmdclass={"bdist_wheel": Wheel})
