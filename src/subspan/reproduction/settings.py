"""How the paper clusters each of its data sets, and where and why we depart from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from subspan.reproduction.published import published_parameter
from subspan.reproduction.runs import Data, Value
from subspan.reproduction.tuned import TUNED

# T, in all experiments but the one that varies it.
N_SUBPROBLEMS = 15
# Points on each of the synthetic subspaces.
SIZES = (30, 55, 98, 177, 320, 577, 1041, 1880, 3396)
# delta, wherever it is varied.
DROPOUTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Setting:
    """One data set of the paper. lambda and delta are read from the published table of parameters."""

    # As in the published tables.
    title: str
    data: Data
    # A part of it for trying things out.
    quick: Data
    # The paper's s: atoms of SSC-OMP.
    sparsity: int
    # Atoms of a sub-problem of S3COMP.
    atoms: int
    # Outer iterations of S3COMP-C.
    outer: int
    # Parameters that all methods get here.
    common: Mapping[str, Value] = field(default_factory=dict)
    # Where this differs from what the paper says, and why.
    departures: tuple[str, ...] = ()
    trials: int = 10

    @property
    def family(self) -> str:
        """The title; synthetic data, which differ in size only, share one."""
        return self.title.split("-")[0]

    @property
    def damping(self) -> float:
        """The paper's lambda."""
        return published_parameter(self.title, "lambda")

    @property
    def dropout(self) -> float:
        """The paper's delta."""
        return published_parameter(self.title, "delta")


ONE_ATOM_LESS = (
    "S3COMP, S3COMP* and S3COMP-C take s - 1 atoms, SSC-OMP takes s. With s - 1 atoms accuracy, error and "
    "connectivity come out at the published values together, with s none of them does; code derived from the "
    "authors' picks s atoms and leaves the last one without a coefficient."
)
MNIST_COMMON: Mapping[str, Value] = {"normalize": False, "scale": "max", "n_components": "auto"}
MNIST_DEPARTURES = (
    ONE_ATOM_LESS,
    "The features keep their length, and the coefficients of each point are divided by the largest: so does "
    "the released script of SSC-OMP for MNIST, and with it accuracy, error and connectivity come out near "
    "the published values. On rows of unit norm the published lambda acts about a thousand times stronger.",
    "The number of eigenvectors is read from the spectrum: as many as stand before its widest gap, at least "
    "10. With exactly 10 one digit is often split in two. The paper takes eleven on MNIST70000. True labels "
    "play no part.",
)


def _mnist(
    title: str, data: Data, quick: Data, departures: tuple[str, ...] = (), trials: int = 10
) -> Setting:
    return Setting(
        title,
        data,
        quick,
        sparsity=10,
        atoms=9,
        outer=3,
        common=MNIST_COMMON,
        departures=MNIST_DEPARTURES + departures,
        trials=trials,
    )


REAL = {
    setting.title: setting
    for setting in (
        Setting(
            "EYaleB",
            data=Data("extended_yale_b"),
            quick=Data("extended_yale_b", n_classes=8),
            sparsity=5,
            atoms=4,
            outer=5,
            departures=(
                ONE_ATOM_LESS,
                "2414 images instead of 2432: 18 are missing from the release of the cropped images.",
            ),
        ),
        Setting(
            "COIL100",
            data=Data("coil100"),
            quick=Data("coil100", n_classes=20),
            sparsity=3,
            atoms=2,
            outer=4,
            departures=(ONE_ATOM_LESS,),
        ),
        _mnist("MNIST4000", Data("mnist", n_per_class=400), Data("mnist", n_per_class=50)),
        _mnist("MNIST10000", Data("mnist", n_per_class=1000), Data("mnist", n_per_class=100)),
        _mnist(
            "MNIST70000",
            Data("mnist"),
            Data("mnist", n_per_class=150),
            ("3 trials instead of 10 unless more are asked for.",),
            trials=3,
        ),
        Setting(
            "GTSRB",
            data=Data("gtsrb"),
            quick=Data("gtsrb", n_per_class=60),
            sparsity=3,
            atoms=3,
            outer=4,
            departures=(
                "S3COMP, S3COMP* and S3COMP-C take 3 atoms here, the paper's s.",
                "The paper does not list its 14 classes; ours are a choice with the same number of images.",
            ),
        ),
    )
}
SYNTHETIC = {
    size: Setting(
        f"synthetic-{size}",
        data=Data("synthetic", n_per_class=size),
        quick=Data("synthetic", n_per_class=size),
        sparsity=5,
        atoms=5,
        outer=5,
    )
    for size in SIZES
}

# The registered name of a method and its parameters; None where it is not run.
Recipe = Callable[[Setting], tuple[str, dict[str, Value]] | None]


def _ssc_omp(setting: Setting) -> tuple[str, dict[str, Value]]:
    return "ssc-omp", {"n_nonzero": setting.sparsity, **setting.common}


def _s3comp(setting: Setting) -> tuple[str, dict[str, Value]]:
    return "s3comp", {
        "n_nonzero": setting.atoms,
        "n_subproblems": N_SUBPROBLEMS,
        "damping": setting.damping,
        "dropout": setting.dropout,
        "n_components": None,
        **setting.common,
    }


def _s3comp_star(setting: Setting) -> tuple[str, dict[str, Value]]:
    method, parameters = _s3comp(setting)
    return method, {**parameters, "average": "chosen"}


def _s3comp_c(setting: Setting) -> tuple[str, dict[str, Value]]:
    _, parameters = _s3comp(setting)
    return "s3comp-c", {**parameters, "max_iter": setting.outer}


def _tuned(method: str) -> Recipe:
    def recipe(setting: Setting) -> tuple[str, dict[str, Value]] | None:
        parameters = TUNED.get(method, {}).get(setting.family)
        return None if parameters is None else (method, dict(parameters))

    return recipe


# Methods whose parameters are tuned on each data set, as the paper did.
COMPARED = ("scc", "olrsc", "lsr", "lrsc", "ensc", "sr-ssc", "esc")

# Name on the command line, and how the method is run on a data set.
RECIPES: dict[str, Recipe] = {
    **{method: _tuned(method) for method in COMPARED},
    "ssc-omp": _ssc_omp,
    "s3comp*": _s3comp_star,
    "s3comp": _s3comp,
    "s3comp-c": _s3comp_c,
    # Not in the paper; it takes part in the table of Hopkins155.
    "auto": lambda _: None,
}

# The paper's name of a method, and ours.
METHOD_OF_COLUMN = {
    "SCC": "scc",
    "OLRSC": "olrsc",
    "LSR": "lsr",
    "LRSC": "lrsc",
    "EnSC": "ensc",
    "SR-SSC": "sr-ssc",
    "SSCOMP": "ssc-omp",
    "ESC": "esc",
    "S3COMP*": "s3comp*",
    "S3COMP": "s3comp",
    "S3COMP-C": "s3comp-c",
}
