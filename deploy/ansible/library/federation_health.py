#!/usr/bin/python
"""Waits, for a limited time, until a federation is healthy and its caches are fully redundant."""

from __future__ import annotations

DOCUMENTATION = r"""
module: federation_health
short_description: Wait until a federation is healthy and each cache has all its replicas
version_added: "0.1.0"
author: The Ensemble authors
description:
  - Runs C(ensemble sites), C(sites list), C(migrations list), C(caches list) and
    C(caches describe) with C(--json), and repeats them until nothing is missing.
  - A federation is healthy if all its nodes answer and accept the credentials, no site is drained,
    no cache changes, each cache has the number of replicas that it was asked to have, and
    maintenance reports no site to be behind.
  - Fails when the time is over. The message names everything that is missing.
  - Changes nothing, also in check mode.
options:
  command:
    description: The path of Ensemble's command line.
    type: path
    required: true
  catalog:
    description: The address of the catalog, C(zk://host:port,.../path) or a directory.
    type: str
    required: true
  sites:
    description:
      - The number of nodes of each site, by its name.
      - A site that is not in the catalog, or has fewer nodes there, is missing.
    type: dict
    default: {}
  timeout:
    description: The time limit, in seconds. With 0 the federation is examined once.
    type: int
    default: 900
  interval:
    description: The pause between two examinations, in seconds.
    type: int
    default: 5
  command_timeout:
    description: The time limit of one run of the command line, in seconds.
    type: int
    default: 60
"""

EXAMPLES = r"""
- name: Wait until the federation is healthy
  federation_health:
    command: /opt/ensemble/current/bin/ensemble
    catalog: zk://10.0.1.1:2181/ensemble
    sites: {lyon: 3, oslo: 3, rome: 3}
    timeout: 900
"""

RETURN = r"""
missing:
  description: What is missing, one sentence for each problem; empty if the module succeeds.
  returned: always
  type: list
  elements: str
caches:
  description: The number of caches that were examined.
  returned: success
  type: int
examinations:
  description: How often the federation was examined.
  returned: always
  type: int
"""

import json
import subprocess
import time

from ansible.module_utils.basic import AnsibleModule


class ReportUnavailable(Exception):
    """The command line gave no report."""


def missing_at_sites(nodes, listed, expected):
    """What is missing at the sites.

    nodes: the report of `sites`; listed: that of `sites list`; expected: the number of nodes of
    each site, by name.
    """
    missing = []
    known = {site["name"]: site for site in listed["sites"]}
    for name, count in sorted(expected.items()):
        if name not in known:
            missing.append(f"site {name} is not in the catalog")
        elif len(known[name]["endpoints"]) < int(count):
            found = len(known[name]["endpoints"])
            missing.append(f"site {name} has {found} of {count} nodes in the catalog")
    for site in nodes["sites"]:
        for node in site["nodes"]:
            if not node["reachable"]:
                why = node.get("error") or "no answer"
                missing.append(f"node {node['endpoint']} of site {site['name']} is silent: {why}")
        login = site.get("login")
        if login and not login["accepted"]:
            missing.append(f"site {site['name']} rejects the credentials: {login.get('error')}")
    for site in listed["sites"]:
        if site["state"] != "serving":
            missing.append(f"site {site['name']} is {site['state']}")
        care = site.get("care") or {}
        if care.get("behind", "no") != "no":
            missing.append(f"site {site['name']} may lack writes: maintenance is copying them")
    return missing


def missing_replicas(name, redundancy):
    """What is missing of one cache; redundancy is null for a shard without a definition."""
    if redundancy is None:
        return [f"cache {name} has no definition"]
    if redundancy["whole"] >= redundancy["asked"]:
        return []
    states = ", ".join(
        f"{replica} {state}"
        for replica, state in sorted(redundancy["replicas"].items())
        if state != "whole"
    )
    return [
        f"cache {name} has {redundancy['whole']} of {redundancy['asked']} replicas"
        + (f": {states}" if states else "")
    ]


def missing_of_cache(described):
    """What is missing of a cache, by the report of `caches describe`."""
    name = described["name"]
    if described.get("growing"):
        return [f"the parts of cache {name} are changing"]
    if "redundancy" in described:
        return missing_replicas(name, described["redundancy"])
    missing = []
    for shard, redundancy in (described.get("shards") or {}).items():
        missing += missing_replicas(shard, redundancy)
    return missing


def examine(report, expected):
    """What is missing, and the number of caches. `report(words...)` runs the command line."""
    missing = missing_at_sites(report("sites"), report("sites", "list"), expected)
    for change in report("migrations", "list")["migrations"]:
        missing.append(f"cache {change['cache']} is being changed")
    listed = report("caches", "list")
    names = [cache["name"] for cache in listed["caches"] + listed["distributed"]]
    for name in names:
        missing += missing_of_cache(report("caches", "describe", name))
    return missing, len(names)


def reporter(command, catalog, seconds):
    """Runs the command line, and returns its report."""

    def report(*words):
        text = " ".join(words)
        try:
            done = subprocess.run(
                [command, *words, "--catalog", catalog, "--json"],
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ReportUnavailable(f"ensemble {text} has not ended within {seconds} s") from None
        except OSError as error:
            raise ReportUnavailable(f"ensemble {text} cannot be run: {error}") from None
        try:
            parsed = json.loads(done.stdout)
        except ValueError:
            last = (done.stderr.strip() or "no output").splitlines()[-1]
            raise ReportUnavailable(f"ensemble {text} gave no report: {last}") from None
        # A report of silent sites comes with exit code 1, an error with a document of its own.
        if "error" in parsed:
            raise ReportUnavailable(f"ensemble {text} failed: {parsed['error']}")
        return parsed

    return report


def wait(report, expected, timeout, interval, clock=time.monotonic, pause=time.sleep):
    """Examines until nothing is missing or the time is over: missing, caches, examinations."""
    end = clock() + timeout
    examinations = 0
    while True:
        examinations += 1
        caches = 0
        try:
            missing, caches = examine(report, expected)
        except ReportUnavailable as error:
            missing = [str(error)]
        if not missing or clock() + interval > end:
            return missing, caches, examinations
        pause(interval)


def main():
    module = AnsibleModule(
        argument_spec={
            "command": {"type": "path", "required": True},
            "catalog": {"type": "str", "required": True},
            "sites": {"type": "dict", "default": {}},
            "timeout": {"type": "int", "default": 900},
            "interval": {"type": "int", "default": 5},
            "command_timeout": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    given = module.params
    missing, caches, examinations = wait(
        reporter(given["command"], given["catalog"], given["command_timeout"]),
        given["sites"],
        given["timeout"],
        given["interval"],
    )
    if missing:
        module.fail_json(
            msg="the federation is not healthy after {0} s: {1}".format(
                given["timeout"], "; ".join(missing)
            ),
            missing=missing,
            examinations=examinations,
        )
    module.exit_json(changed=False, missing=[], caches=caches, examinations=examinations)


if __name__ == "__main__":
    main()
