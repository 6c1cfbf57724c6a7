"""The customized MixMatch in slow loops, straight from Algorithms 4 and 5 of paper 001."""

from copy import deepcopy

import numpy as np
import torch

from seepage.learners.completion.batches import Drawing


def slow_mixup(first, second, share):
    """Algorithm 5 for one pair of rows or of label distributions, entry by entry."""
    return [share * a + (1 - share) * b for a, b in zip(first, second, strict=True)]


def slow_sharpen(p, temperature):
    powers = [entry ** (1 / temperature) for entry in p]
    return [power / sum(powers) for power in powers]


def slow_batch(model, given, draws, number, settings):
    """Algorithm 4: mixed inputs (as `lower` returns them) and mixed labels, row by row, labeled rows first."""
    labels = [[float(given.labels[place] == c) for c in range(3)] for place in draws.known[number]]
    others = given.unlabelled[draws.unlabelled[number]]
    with torch.no_grad():
        said = torch.softmax(model(given.features[others]), dim=1)
    p = labels + [slow_sharpen(row.tolist(), settings.temperature) for row in said]
    lowered = model.lower(given.features[np.array([*given.known[draws.known[number]], *others])])
    pairs = [(i, draws.partners[number][i], float(draws.share[number][i])) for i in range(2 * settings.batch)]
    inputs = [
        torch.stack([torch.stack(slow_mixup(part[i], part[j], share)) for i, j, share in pairs]) for part in lowered
    ]
    return inputs, [slow_mixup(p[i], p[j], share) for i, j, share in pairs]


def slow_loss(model, given, draws, number, weight, settings):
    """Equations 5 to 7, entry by entry, and MixText's loss on what entropy exceeds a margin by."""
    inputs, labels = slow_batch(model, given, draws, number, settings)
    labelled, unlabelled, unsure = 0.0, 0.0, 0.0
    for place, (row, meant) in enumerate(zip(model.upper(inputs), labels, strict=True)):
        probabilities = torch.exp(row) / torch.exp(row).sum()
        for said, wanted in zip(probabilities, meant, strict=True):
            if place < settings.batch:
                labelled = labelled - wanted * torch.log(said) / settings.batch
            else:
                unlabelled = unlabelled + (wanted - said) ** 2 / (3 * settings.batch)
        entropy = -sum(said * torch.log(said) for said in probabilities)
        if place >= settings.batch and entropy > settings.entropy_margin:
            unsure = unsure + (entropy - settings.entropy_margin) / settings.batch
    whole = labelled + weight * unlabelled + weight * settings.entropy_weight / settings.unlabelled_weight * unsure
    return whole, float(labelled.detach()), float(unlabelled.detach())


def slow_complete(given, settings, bottom_rate, rng):
    """The whole run in plain loops: Adam (Kingma and Ba), decay, and the running average by hand."""
    model = deepcopy(given.model).train()
    if bottom_rate == 0:
        model.bottoms.eval()
    named = {n: v for n, v in model.named_parameters() if bottom_rate or n.startswith("head.")}
    rates = {n: settings.learning_rate if n.startswith("head.") else bottom_rate for n in named}
    mean = {n: v.detach().clone() for n, v in named.items()}
    m = {n: torch.zeros_like(v) for n, v in named.items()}
    v2 = {n: torch.zeros_like(v) for n, v in named.items()}
    drawing = Drawing(len(given.known), len(given.unlabelled), settings, rng.spawn(1)[0])
    step, total, losses = 0, settings.epochs * settings.iterations, []
    for _ in range(settings.epochs):
        draws, losses = drawing.epoch(), []
        for number in range(settings.iterations):
            weight = settings.unlabelled_weight * step / total
            loss, labelled, unlabelled = slow_loss(model, given, draws, number, weight, settings)
            losses.append((labelled, unlabelled))
            gradients = torch.autograd.grad(loss, list(named.values()))
            step += 1
            keep = min(settings.ema, step / (9 + step))
            with torch.no_grad():
                for (name, value), gradient in zip(named.items(), gradients, strict=True):
                    m[name] = 0.9 * m[name] + 0.1 * gradient
                    v2[name] = 0.999 * v2[name] + 0.001 * gradient**2
                    fitted = m[name] / (1 - 0.9**step) / (torch.sqrt(v2[name] / (1 - 0.999**step)) + 1e-8)
                    value.copy_(value * (1 - settings.weight_decay * rates[name]) - rates[name] * fitted)
                    mean[name] = keep * mean[name] + (1 - keep) * value
    model.load_state_dict({**model.state_dict(), **mean})
    return model, np.mean(losses, axis=0)
