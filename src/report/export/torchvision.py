"""How often to change an image by which augmentor: a policy that gbv wrote for torchvision.

    from policy import transform                # the name of this file

    Compose([Resize(256), CenterCrop(224), transform, ToTensor(), Normalize(MEAN, STD)])

`transform` takes one PIL image (RGB or grey) or uint8 tensor (channels x height x width), draws one augmentor from
torch's generator (or from one of your own: Augment(generator=...)) and gives back the changed image, of the same kind.
Pixels are those of `gbv augment apply`, whatever the version of torchvision; a blur may be one level off.

Where NOISE is "code", Gaussian noise belongs after normalisation, and pixels are cut to 0..1 there. `transform` then
always gives back a float tensor, made so that Normalize(MEAN, STD) gives what the noise should have made of the
normalised image. So leave ToTensor() out, and with other numbers than ImageNet's use Augment(mean=..., std=...):

    Compose([Resize(256), CenterCrop(224), transform, Normalize(MEAN, STD)])
"""
# @policy@
import bisect
import itertools
import math

import torch
from torchvision.transforms import functional as F
from torchvision.transforms.functional import InterpolationMode

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _move(image, shift=(0, 0), shear=(0.0, 0.0), center=None):
    return F.affine(image, angle=0.0, translate=list(shift), scale=1.0, shear=[math.degrees(s) for s in shear],
                    interpolation=InterpolationMode.NEAREST, center=center)


# What an operator with magnitude m makes of a PIL image. All but the blur is done by Pillow, so that tensors, whose
# functions round otherwise, get the same pixels.
OPERATORS = {
    "shear_x": lambda image, m: _move(image, shear=(math.atan(m), 0.0), center=[0, 0]),
    "shear_y": lambda image, m: _move(image, shear=(0.0, math.atan(m)), center=[0, 0]),
    "translate_x": lambda image, m: _move(image, shift=(int(m), 0)),
    "translate_y": lambda image, m: _move(image, shift=(0, int(m))),
    "rotate": lambda image, m: F.rotate(image, m, interpolation=InterpolationMode.NEAREST),
    "brightness": lambda image, m: F.adjust_brightness(image, m),
    "color": lambda image, m: F.adjust_saturation(image, m),
    "contrast": lambda image, m: F.adjust_contrast(image, m),
    "sharpness": lambda image, m: F.adjust_sharpness(image, m),
    "posterize": lambda image, m: F.posterize(image, int(m)),
    "solarize": lambda image, m: F.solarize(image, m),
    "gaussian_blur": lambda image, m: F.gaussian_blur(image, [11, 11], [m, m]),
    "auto_contrast": lambda image, m: F.autocontrast(image),
    "equalize": lambda image, m: F.equalize(image),
    "invert": lambda image, m: F.invert(image),
}


class _Magnitudes:
    """The magnitudes of one operator: a density whose logarithm is linear between nodes, drawn from exactly."""

    def __init__(self, nodes, scores):
        best = max(scores)
        logs = [INVERSE_TAU * (score - best) if score > -math.inf else -math.inf for score in scores]
        self.fallback = nodes[scores.index(best)]  # one node, or scores too far apart for numbers
        self.pieces, masses = [], []
        for low, high, g, other in zip(nodes, nodes[1:], logs, logs[1:]):
            if math.isfinite(g) and math.isfinite(other):
                x = abs(other - g)
                masses.append((high - low) * math.exp(max(g, other)) * (-math.expm1(-x) / x if x > 1e-8 else 1 - x / 2))
                self.pieces.append((low, high, other - g))
        self.below = list(itertools.accumulate(masses))

    def draw(self, uniform):
        total = self.below[-1] if self.below else 0.0
        if not total > 0:
            return self.fallback
        at = uniform * total
        i = min(bisect.bisect_right(self.below, at), len(self.below) - 1)
        before = self.below[i - 1] if i else 0.0
        u = min(max((at - before) / (self.below[i] - before), 0.0), 1.0) if self.below[i] > before else 0.0
        low, high, x = self.pieces[i]
        if abs(x) >= 1e-8:  # from the higher end, so that nothing overflows
            u = -math.log1p((1 - u if x > 0 else u) * math.expm1(-abs(x))) / abs(x)
            u = min(max(1 - u if x > 0 else u, 0.0), 1.0)
        return min(low + (high - low) * u, high)


class Augment(torch.nn.Module):
    """Changes every image by an augmentor drawn from the policy."""

    def __init__(self, generator=None, mean=MEAN, std=STD):
        super().__init__()
        self.generator, self.mean, self.std = generator, mean, std
        if DENSITIES:
            self.choices = [(op, _Magnitudes(nodes, scores), coin) for op, coin, _, nodes, scores in DENSITIES]
            probabilities = [row[2] for row in DENSITIES]
        else:
            self.choices = [(op, float(magnitude), coin) for op, magnitude, coin, _ in AUGMENTORS]
            probabilities = [row[3] for row in AUGMENTORS]
        self.below = list(itertools.accumulate(probabilities))
        self.last = max(i for i, p in enumerate(probabilities) if p > 0)
        self.floats = NOISE == "code" and any(choice[0] == "gaussian_noise" for choice in self.choices)

    def draw(self):
        """An operator and a magnitude, the sign decided."""
        which, where, sign = torch.rand(3, dtype=torch.float64, generator=self.generator).tolist()
        i = min(bisect.bisect_right(self.below, which * self.below[-1]), self.last)
        op, magnitude, coin = self.choices[i]
        if isinstance(magnitude, _Magnitudes):
            magnitude = magnitude.draw(where)
        return op, -magnitude if coin and sign < 0.5 else magnitude

    def _noise(self, image, deviation):
        """On floats from 0 to 1."""
        noise = deviation * torch.randn(image.shape, generator=self.generator)
        if NOISE != "code":
            return (image + noise).clamp(0, 1)
        mean, std = (torch.tensor(x[:len(image)]).view(-1, 1, 1) for x in (self.mean, self.std))
        return ((image - mean) / std + noise).clamp(0, 1) * std + mean

    def change(self, image, op, magnitude):
        """The image changed by one operator, whatever the policy says of it."""
        is_tensor = isinstance(image, torch.Tensor)
        if is_tensor and (image.dtype != torch.uint8 or image.ndim != 3 or len(image) not in (1, 3)):
            raise TypeError(f"expected a uint8 tensor of 1 or 3 channels x height x width, not {image.dtype} "
                            f"{tuple(image.shape)}")
        picture = F.to_pil_image(image) if is_tensor else image
        if picture.mode not in ("L", "RGB"):
            raise TypeError(f"expected an image of mode RGB or L, not {picture.mode}: use image.convert('RGB')")
        if op == "gaussian_noise":
            pixels = self._noise(F.to_tensor(picture), magnitude)
            if self.floats:
                return pixels
            pixels = (pixels * 255).round().to(torch.uint8)
            return pixels if is_tensor else F.to_pil_image(pixels)
        picture = OPERATORS[op](picture, magnitude)
        return F.to_tensor(picture) if self.floats else F.pil_to_tensor(picture) if is_tensor else picture

    def forward(self, image):
        return self.change(image, *self.draw())

    def __repr__(self):
        return f"Augment({len(self.choices)} {'densities' if DENSITIES else 'augmentors'})"


transform = Augment()
