"""Values that the chart refuses, with the reason that it gives."""

import pytest

import chart

BASE = chart.example("sites-values.yaml")
SITE = {"name": "lyon", "nodes": 3, "credentials": {"secretName": "lyon-user"}}
EXISTING = {"name": "lyon", "existing": {"endpoints": ["a:11222", "b:11222"], "nodes": 2}}
TOKEN = {"name": "ci", "secretName": "tokens", "key": "ci"}
MAIN = {"name": "main", "servers": ["a:2181"]}


def sites(*sites):
    return {"sites": list(sites), "caches": []}


def cached(cache, *sites):
    return {"sites": list(sites), "caches": [{"name": "orders", **cache}]}


REFUSED = {
    "an unknown value": ({"sitez": []}, "sitez"),
    "an even number of ZooKeepers": ({"zookeeper": {"replicas": 4}}, "/zookeeper/replicas"),
    "no ZooKeeper": ({"zookeeper": {"replicas": 0}}, "/zookeeper/replicas"),
    "an unknown catalog": ({"catalog": {"source": "etcd"}}, "/catalog/source"),
    "a path without a slash": ({"catalog": {"path": "ensemble"}}, "/catalog/path"),
    "a server without a port": (
        {"catalog": {"source": "external", "servers": ["zk"]}},
        "/catalog/servers/0",
    ),
    "an external catalog without an address": (
        {"catalog": {"source": "external"}},
        "catalog.servers is required",
    ),
    "an address of a bundled catalog": (
        {"catalog": {"servers": ["zk:2181"]}},
        "catalog.servers requires catalog.source=external; got catalog.source=bundled",
    ),
    "a catalog on no ZooFence": (
        {"catalog": {"source": "zoofence"}},
        "requires zoofence.enabled=true",
    ),
    "ZooFence without ensembles": (
        {"zoofence": {"enabled": True}},
        "zoofence.ensembles is required",
    ),
    "two ensembles of one name": (
        {"zoofence": {"enabled": True, "ensembles": [MAIN, MAIN]}},
        "two ensembles of one name",
    ),
    "an ensemble without servers": (
        {"zoofence": {"enabled": True, "ensembles": [{"name": "main", "servers": []}]}},
        "/zoofence/ensembles/0/servers",
    ),
    "a duration without a unit": ({"zoofence": {"patience": "10"}}, "/zoofence/patience"),
    "no TLS and no decision": (
        {"access": {"tls": {"secretName": ""}}},
        "exactly one of access.existingSecret, access.tls.secretName and access.clearText=true is "
        "required; got 0",
    ),
    "TLS and clear text": ({"access": {"clearText": True}}, "is required; got 2"),
    "an access file twice": (
        {"access": {"existingSecret": "all", "tls": {"secretName": ""}}},
        "access.existingSecret contains the whole access file",
    ),
    "no grant": ({"access": {"policy": {"grants": []}}}, "access.policy.grants is empty"),
    "a grant of caches and of the federation": (
        {"access": {"policy": {"grants": [
            {"who": ["token:ci"], "caches": ["*"], "roles": ["read"], "federation": ["read"]}]}}},
        "/access/policy/grants/0",
    ),
    "a grant to a name without its proof": (
        {"access": {"policy": {"grants": [{"who": ["ci"], "federation": ["read"]}]}}},
        "/access/policy/grants/0/who/0",
    ),
    "an unknown role": (
        {"access": {"policy": {"grants": [{"who": ["token:ci"], "federation": ["root"]}]}}},
        "/access/policy/grants/0/federation/0",
    ),
    "passwords in clear text": (
        {"access": {"tls": {"secretName": ""}, "clearText": True, "users": {"secretName": "u"}}},
        "passwords require TLS",
    ),
    "two tokens of one name": ({"access": {"tokens": [TOKEN, TOKEN]}}, "two tokens of one name"),
    "a token in the values": ({"access": {"tokens": [{"name": "ci", "token": "x" * 32}]}}, "token"),
    "a field that the chart sets": (
        {"access": {"settings": {"audit": {"file": "x"}}}},
        "/access/settings",
    ),
    "metrics in clear text": (
        {
            "access": {"tls": {"secretName": ""}, "clearText": True},
            "metrics": {"annotations": True},
        },
        "metrics require access.tls",
    ),
    "metrics with names of hosts": (
        {"access": {"settings": {"hosts": ["a"]}}, "metrics": {"annotations": True}},
        "metrics require access.settings.hosts to be empty",
    ),
    "a monitor without a token": (
        {"metrics": {"serviceMonitor": {"enabled": True}}},
        "metrics.serviceMonitor.tokenSecret.name is required",
    ),
    "a worker somewhere else": ({"maintenance": {"runsIn": "cron"}}, "/maintenance/runsIn"),
    "a privileged port": ({"rest": {"port": 443}}, "/rest/port"),
    "no REST service": ({"rest": {"replicas": 0}}, "/rest/replicas"),
    "no tag of the servers": ({"infinispan": {"image": {"tag": ""}}}, "/infinispan/image/tag"),
    "an unknown strategy": (
        {"infinispan": {"updateStrategy": "Recreate"}},
        "/infinispan/updateStrategy",
    ),
    "a local site that is none": ({"rest": {"localSite": "bern"}}, "rest.localSite must be one of"),
    "a site of two nodes": (sites({**SITE, "nodes": 2}), "/sites/0"),
    "a site without nodes": (sites({"name": "lyon"}), "/sites/0"),
    "a site that is started and exists": (sites({**SITE, **EXISTING}), "/sites/0"),
    "a site with the name of another part": (sites({**SITE, "name": "rest"}), "/sites/0/name"),
    "a site with an invalid name": (sites({**SITE, "name": "Lyon"}), "/sites/0/name"),
    "two sites of one name": (sites(SITE, SITE), "two sites of one name; site=lyon"),
    "a site without a user": (
        sites({**SITE, "credentials": {}}),
        "exactly one of credentials.secretName and credentials.generate=true is required; site=",
    ),
    "a site with two users": (
        sites({**SITE, "credentials": {"secretName": "a", "generate": True}}),
        "exactly one of credentials.secretName and credentials.generate=true",
    ),
    "a password in the values": (
        sites({**SITE, "credentials": {"password": "secret"}}),
        "/sites/0",
    ),
    "a generated user of a site that exists": (
        sites({**EXISTING, "credentials": {"generate": True}}),
        "credentials.generate is for sites that this release starts; site=lyon",
    ),
    "a key store without a password": (
        sites({**SITE, "tls": {"secretName": "lyon-tls"}}),
        "tls.passwordSecret is required",
    ),
    "one endpoint twice": (
        sites({"name": "lyon", "existing": {"endpoints": ["a:1", "a:1"], "nodes": 2}}),
        "/sites/0/existing/endpoints",
    ),
    "a site that exists in two ways": (
        sites({"name": "lyon", "existing": {"endpoints": ["a:1"], "statefulSet": "a", "nodes": 1}}),
        "/sites/0/existing",
    ),
    "a site that exists nowhere": (sites({"name": "lyon", "existing": {"nodes": 1}}), "/sites/0"),
    "a site that exists on disk by the chart": (
        sites({**EXISTING, "persistence": {"enabled": True}}),
        "/sites/0",
    ),
    "a strong cache at nodes without addresses of their own": (
        cached(
            {"mode": "mwmr", "sites": ["lyon"]},
            {"name": "lyon", "existing": {"endpoints": ["balancer:11222"], "nodes": 3}},
        ),
        "a cache in mode mwmr requires an address of each node of its sites; "
        "cache=orders site=lyon nodes=3 endpoints=1",
    ),
    "a strong cache that may be placed at such a site": (
        cached(
            {"mode": "swmr", "replication": 1},
            SITE,
            {"name": "oslo", "existing": {"endpoints": ["balancer:11222"], "nodes": 3}},
        ),
        "cache=orders site=oslo nodes=3 endpoints=1",
    ),
    "a strong cache at one site of two nodes": (
        cached({"mode": "mwmr", "sites": ["lyon"]}, EXISTING),
        "a cache in mode mwmr at one site requires 1 node, or 3 or more; cache=orders site=lyon",
    ),
    "a cache at a site that is none": (
        cached({"mode": "weak", "sites": ["bern"]}, SITE),
        "the site of a cache must be one of sites; cache=orders site=bern",
    ),
    "a cache with sites and a number of sites": (
        cached({"mode": "weak", "sites": ["lyon"], "replication": 1}, SITE),
        "sites and replication exclude each other; cache=orders",
    ),
    "a cache in an unknown mode": (cached({"mode": "strong"}, SITE), "/caches/0/mode"),
    "an option that ends the quotation": (
        cached({"mode": "weak", "options": ["'; id"]}, SITE),
        "/caches/0/options/0",
    ),
    "two caches of one name": (
        {"caches": [{"name": "orders", "mode": "weak"}] * 2},
        "two caches of one name; cache=orders",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case):
    changes, reason = REFUSED[case]

    with pytest.raises(chart.RefusedException) as refusal:
        chart.render(chart.merged(BASE, changes))

    # Versions of Helm separate the parts of a path by dots or by slashes.
    said = str(refusal.value)
    assert reason in said or reason.strip("/").replace("/", ".") in said, said


def test_the_defaults_require_a_decision_on_access():
    with pytest.raises(chart.RefusedException, match="access.tls.secretName"):
        chart.render({})


def test_a_weak_cache_may_be_at_nodes_behind_one_address():
    chart.render(
        chart.merged(
            BASE,
            cached(
                {"mode": "weak", "sites": ["lyon"]},
                {"name": "lyon", "existing": {"endpoints": ["balancer:11222"], "nodes": 3}},
            ),
        )
    )
