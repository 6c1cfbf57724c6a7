"""A small residual network (He et al., CVPR 2016) for pictures of any size."""

import torch
from torch import nn

from seepage.shapes import ImageShape


class ResidualBlock(nn.Module):
    """Two convolutions around which the input is carried past."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        same = stride == 1 and inputs == outputs
        self.past = nn.Identity() if same else nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add what was learned to what came in."""
        return torch.relu(self.body(x) + self.past(x))


class SmallResNet(nn.Module):
    """A stem, `blocks` residual blocks for each entry of `planes`, and a linear layer.

    With planes 16, 32, 64 and three blocks each this is the ResNet-20 that the
    authors of paper 001 use.
    """

    def __init__(self, image: ImageShape, planes: tuple[int, ...], blocks: int, outputs: int) -> None:
        super().__init__()
        self.image = image
        layers: list[nn.Module] = [
            nn.Conv2d(image.channels, planes[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(planes[0]),
            nn.ReLU(),
        ]
        before = planes[0]
        for stage, width in enumerate(planes):
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                layers.append(ResidualBlock(before, width, stride))
                before = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(before, outputs)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Fold flat rows into pictures and classify them."""
        pictures = rows.view(-1, self.image.channels, self.image.height, self.image.width)
        return self.head(self.body(pictures).mean(dim=(2, 3)))  # type: ignore[no-any-return]
