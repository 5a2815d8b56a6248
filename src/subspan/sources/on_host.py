"""Arrays of other libraries, brought to where NumPy can read them."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

logger = logging.getLogger(__name__)


def on_host(data: Any) -> Any:
    """A NumPy array if `data` is an array of torch, CuPy, JAX or another library; else `data` itself.

    Nothing has to be imported for it: what an object can do tells how it is read.

    Examples
    --------
    >>> on_host([[1.0, 2.0]])
    [[1.0, 2.0]]
    """
    kind = type(data)
    if isinstance(data, np.ndarray):
        return data
    if hasattr(kind, "detach") and hasattr(kind, "cpu"):
        return _said(kind, data.detach().cpu().numpy())
    if hasattr(kind, "__cuda_array_interface__") and hasattr(kind, "get"):
        return _said(kind, data.get())
    if hasattr(kind, "__dlpack__") and not hasattr(kind, "__array__"):
        return _said(kind, np.from_dlpack(data))
    return data


def _said(kind: type, array: Any) -> Any:
    logger.info("X: a %s.%s was copied to the memory of this machine.", kind.__module__, kind.__qualname__)
    return np.asarray(array)
