"""The run itself: parameters, times, memory and the machine."""

from __future__ import annotations

import inspect

from subspan.execution.machine import cpu_model, versions
from subspan.execution.memory import peak_memory
from subspan.report.axes import number
from subspan.report.elements import Element, h, name_of
from subspan.report.material import Material
from subspan.report.page import Section
from subspan.report.tables import Column, TableRow, cell, percent, table


def run_section(material: Material) -> Section:
    """Three tables."""
    tables = [_parameters(material), h("div", _times(material), _surroundings(), class_="stack")]
    return Section("run", "Parameters, times and memory", h("div", tables, class_="plates"))


def _parameters(material: Material) -> Element:
    values = material.estimator.get_params(deep=False)
    rows: list[TableRow] = []
    marks = []
    for name, parameter in inspect.signature(type(material.estimator)).parameters.items():
        changed = repr(values[name]) != repr(parameter.default)
        rows.append([name, name_of(repr(values[name])), name_of(repr(parameter.default))])
        marks.append({"class_": "changed" if changed else None})
    columns = [Column("parameter", True), Column("value", True), Column("default", True)]
    return table("Parameters; those that differ from the default are marked", columns, rows, attributes=marks)


def _times(material: Material) -> Element:
    seconds = material.estimator.stage_seconds_
    total = sum(seconds.values()) or 1.0
    rows: list[TableRow] = [
        [stage, cell(taken), cell(taken / total, percent(taken / total))] for stage, taken in seconds.items()
    ]
    rows.append(["all stages", cell(total), "100\u00a0%"])
    return table("Time by stage", [Column("stage", True), Column("seconds"), Column("share")], rows)


def _surroundings() -> Element:
    peak = peak_memory()
    memory = "not known" if peak is None else f"{number(round(peak / 1e6))} MB"
    rows: list[TableRow] = [
        ["largest memory of the process", memory],
        ["processor", name_of(cpu_model())],
    ]
    rows += [[name, version] for name, version in versions().items()]
    return table("Memory, machine and versions", [Column("what", True), Column("value", True)], rows)
