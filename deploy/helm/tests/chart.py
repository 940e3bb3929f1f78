"""Renders the chart, and finds what it has rendered."""

import functools
import os
import pathlib
import subprocess

import yaml

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE.parent / "ensemble"
HELM = os.environ["HELM"]
EXAMPLES = sorted(path.name for path in (CHART / "ci").glob("*-values.yaml"))


class RefusedException(Exception):
    """Helm has refused the values."""


def helm(*arguments, text=""):
    run = subprocess.run(
        [HELM, *map(str, arguments)], input=text, capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise RefusedException(run.stderr)
    return run.stdout


def render(values, *arguments):
    """The objects for `values`, a dictionary that is laid over values.yaml."""
    return [
        document
        for document in yaml.safe_load_all(template(yaml.safe_dump(values), *arguments))
        if document
    ]


@functools.cache
def template(values, *arguments):
    return helm(
        "template", "grid", CHART, "--namespace=shop", "--values=-", *arguments, text=values
    )


def example(name):
    return yaml.safe_load((CHART / "ci" / name).read_text())


def examples():
    return [(name, render(example(name))) for name in EXAMPLES]


def one(documents, kind, name):
    found = [
        document
        for document in documents
        if document["kind"] == kind and document["metadata"]["name"] == name
    ]
    assert len(found) == 1, f"{kind} {name}: {len(found)}"
    return found[0]


def workloads(documents):
    return [document for document in documents if "template" in document.get("spec", {})]


def containers(workload):
    spec = workload["spec"]["template"]["spec"]
    return spec.get("initContainers", []) + spec["containers"]


def selects(selector, labels):
    """Whether a selector of Kubernetes selects an object with `labels`."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for term in selector.get("matchExpressions", []):
        is_in = labels.get(term["key"]) in term["values"]
        if is_in != (term["operator"] == "In"):
            return False
    return True


def merged(base, changes):
    """`base` with `changes` laid over it; lists are replaced."""
    result = dict(base)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result
