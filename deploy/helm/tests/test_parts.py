"""What each part of the chart renders."""

import base64
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml

import chart

SITES = chart.example("sites-values.yaml")
SECURED = chart.example("secured-values.yaml")
EXISTING = chart.example("existing-values.yaml")
ZOOFENCE = chart.example("zoofence-values.yaml")
ADD = "add lyon '--endpoints="


def only_container(documents, kind, name):
    (container,) = chart.one(documents, kind, name)["spec"]["template"]["spec"]["containers"]
    return container


def environment(container):
    return {one["name"]: one.get("value") for one in container["env"]}


def script(documents, name="grid-ensemble-registration"):
    return only_container(documents, "Job", name)["command"][-1]


# The REST service and maintenance


def test_the_rest_service_leaves_maintenance_to_the_workers():
    documents = chart.render(SITES)

    rest = only_container(documents, "Deployment", "grid-ensemble-rest")
    worker = only_container(documents, "Deployment", "grid-ensemble-maintenance")
    assert "--no-maintenance" in rest["args"]
    assert worker["args"][0] == "rest" and "--no-maintenance" not in worker["args"]


def test_without_workers_the_rest_service_maintains():
    documents = chart.render(SECURED)

    assert "--no-maintenance" not in only_container(documents, "Deployment", "grid-rest")["args"]
    assert "grid-maintenance" not in [one["metadata"]["name"] for one in chart.workloads(documents)]


def test_no_service_leads_to_the_workers():
    service = chart.one(chart.render(SITES), "Service", "grid-ensemble")

    assert service["spec"]["selector"]["app.kubernetes.io/component"] == "rest"


def test_the_arguments_of_a_worker_can_be_replaced():
    worker = only_container(chart.render(ZOOFENCE), "Deployment", "grid-ensemble-maintenance")

    assert worker["args"] == ["rest", "--no-maintenance"]
    assert "livenessProbe" not in worker


def test_probes_use_health_and_a_host_that_the_service_accepts():
    for values, scheme in [(SITES, "HTTPS"), (EXISTING, "HTTP")]:
        rest = only_container(chart.render(values), "Deployment", "grid-ensemble-rest")

        assert rest["livenessProbe"]["httpGet"]["path"] == "/health/live"
        assert rest["readinessProbe"]["httpGet"]["path"] == "/health/ready"
        assert rest["readinessProbe"]["httpGet"]["scheme"] == scheme
        assert rest["readinessProbe"]["httpGet"]["httpHeaders"] == [
            {"name": "Host", "value": "localhost"}
        ]


def access(values, name="grid-ensemble-access"):
    return json.loads(chart.one(chart.render(values), "ConfigMap", name)["data"]["access.json"])


def test_the_access_file_has_references_and_no_secrets():
    assert access(SITES) == {
        "policy": "policy.json",
        "tls": {"certificate": "tls.crt", "key": "tls.key"},
        "tokens": [{"name": "ci", "file": "tokens/ci"}],
        "audit": {
            "file": "/var/lib/ensemble/audit/audit.jsonl",
            "mostBytes": 67108864,
            "files": 8,
        },
    }


def test_in_clear_text_the_names_of_the_service_are_accepted():
    found = access(EXISTING)

    assert found["clearText"] is True and "tls" not in found
    assert found["hosts"][:2] == ["rest.example", "localhost"]
    assert "grid-ensemble.shop.svc.cluster.local" in found["hosts"]


def test_further_fields_of_the_access_file_are_kept():
    found = access(SECURED, "grid-access")

    assert found["jwt"]["issuer"] == "https://login.example"
    assert found["users"] == "users" and found["requestsPerCaller"] == 64


def test_a_change_of_the_policy_restarts_nothing():
    def checksum(values):
        deployment = chart.one(chart.render(values), "Deployment", "grid-ensemble-rest")
        return deployment["spec"]["template"]["metadata"]["annotations"]["checksum/access"]

    policy = {"access": {"policy": {"grants": [{"who": ["token:ci"], "federation": ["read"]}]}}}
    tokens = {"access": {"tokens": []}}

    assert checksum(chart.merged(SITES, policy)) == checksum(SITES)
    assert checksum(chart.merged(SITES, tokens)) != checksum(SITES)


def test_an_access_file_of_a_secret_replaces_that_of_the_chart():
    documents = chart.render(ZOOFENCE)

    pod = chart.one(documents, "Deployment", "grid-ensemble-rest")["spec"]["template"]["spec"]
    assert {"secretName": "ensemble-access", "defaultMode": 0o440} in [
        volume.get("secret") for volume in pod["volumes"]
    ]
    assert not [one for one in documents if one["metadata"]["name"] == "grid-ensemble-access"]


# The catalog


def test_the_catalog_has_the_address_of_each_server():
    rest = only_container(chart.render(SITES), "Deployment", "grid-ensemble-rest")

    servers = [f"grid-ensemble-zookeeper-{n}.grid-ensemble-zookeeper.shop.svc.cluster.local:2181"
               for n in range(3)]
    assert environment(rest)["ENSEMBLE_CATALOG"] == f"zk://{','.join(servers)}/ensemble"


def test_the_catalog_names_its_access_file():
    rest = only_container(chart.render(SECURED), "Deployment", "grid-rest")

    assert environment(rest)["ENSEMBLE_CATALOG"].endswith(
        "/ensemble?access=/etc/ensemble/catalog/catalog.properties"
    )
    assert "/etc/ensemble/catalog" in [mount["mountPath"] for mount in rest["volumeMounts"]]


def test_an_external_catalog_starts_no_zookeeper():
    documents = chart.render(EXISTING)

    rest = only_container(documents, "Deployment", "grid-ensemble-rest")
    assert environment(rest)["ENSEMBLE_CATALOG"] == (
        "zk://zk-1.example:2181,zk-2.example:2181,zk-3.example:2181/grids/shop"
    )
    assert "StatefulSet" not in {one["kind"] for one in documents}


@pytest.mark.parametrize("replicas", [1, 3, 5, 7])
def test_each_zookeeper_knows_the_others_by_the_number_of_its_pod(replicas):
    documents = chart.render(chart.merged(SITES, {"zookeeper": {"replicas": replicas}}))

    config = chart.one(documents, "ConfigMap", "grid-ensemble-zookeeper")["data"]["zoo.cfg"]
    servers = re.findall(r"^server\.(\d+)=grid-ensemble-zookeeper-(\d+)\.", config, re.M)
    expected = [(str(n + 1), str(n)) for n in range(replicas)] if replicas > 1 else []
    assert servers == expected
    command = only_container(documents, "StatefulSet", "grid-ensemble-zookeeper")["command"]
    number = command[-1].split(">")[0]
    run = subprocess.run(["bash", "-ec", number], env={"HOSTNAME": "grid-zookeeper-2"},
                         capture_output=True, text=True, check=True)
    assert run.stdout == "3\n"


# ZooFence


def test_the_proxy_gets_the_ensembles_in_their_order():
    proxy = only_container(chart.render(ZOOFENCE), "Deployment", "grid-ensemble-zoofence")

    assert proxy["args"] == [
        "zoofence",
        "--ensembles=main=main-0.example:2181,main-1.example:2181,main-2.example:2181"
        "|lyon=zk.lyon.example:2182",
        "--address=0.0.0.0",
        "--port=2181",
        "--patience=2s",
        "--reads=canonical",
        "--max-client-connections=60",
        "--debug",
        "--flattening=/etc/ensemble/zoofence/rules",
        "--admin-auth=digest@file:/etc/ensemble/zoofence-admin/auth",
    ]


def test_the_catalog_can_be_on_the_proxy():
    documents = chart.render(ZOOFENCE)

    rest = only_container(documents, "Deployment", "grid-ensemble-rest")
    assert environment(rest)["ENSEMBLE_CATALOG"] == (
        "zk://grid-ensemble-zoofence.shop.svc.cluster.local:2181/ensemble"
    )
    rules = chart.one(documents, "ConfigMap", "grid-ensemble-zoofence")["data"]["rules"]
    assert rules == "/ hash 1\n/ensemble 1\n"


# The sites


def test_a_site_has_a_headless_service_for_nodes_that_are_not_ready():
    service = chart.one(chart.render(SITES), "Service", "grid-ensemble-lyon")

    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"]["ensemble-site"] == "lyon"


def test_each_node_is_registered_by_an_address_of_its_own():
    nodes = [f"grid-ensemble-lyon-{n}.grid-ensemble-lyon.shop.svc.cluster.local:11222"
             for n in range(3)]

    assert f"{ADD}{','.join(nodes)}'" in script(chart.render(SITES))


def test_a_node_announces_the_address_by_which_it_is_registered():
    documents = chart.render(SITES)

    node = only_container(documents, "StatefulSet", "grid-ensemble-lyon")
    domain = "grid-ensemble-lyon.shop.svc.cluster.local"
    assert f"-Densemble.node.host=$(POD_NAME).{domain}" in node["args"]
    assert f"-Djgroups.dns.query={domain}" in node["args"]
    config = chart.one(documents, "ConfigMap", "grid-ensemble-lyon")["data"]["infinispan.xml"]
    assert 'external-host="${ensemble.node.host}" external-port="11222"' in config
    assert 'stack="kubernetes"' in config


def test_an_upgrade_restarts_no_node_unless_asked():
    documents = chart.render(SITES)

    assert chart.one(documents, "StatefulSet", "grid-ensemble-lyon")["spec"]["updateStrategy"] == {
        "type": "OnDelete"
    }


def test_one_budget_covers_the_nodes_of_all_sites():
    budget = chart.one(chart.render(SITES), "PodDisruptionBudget", "grid-ensemble-sites")

    assert budget["spec"]["maxUnavailable"] == 1
    assert "ensemble-site" not in budget["spec"]["selector"]["matchLabels"]


def affinity(values, name):
    spec = chart.one(chart.render(values), "StatefulSet", name)["spec"]["template"]["spec"]
    return spec.get("affinity", {}).get("podAntiAffinity", {})


def test_nodes_are_on_hosts_of_their_own():
    terms = affinity(SITES, "grid-ensemble-lyon")["requiredDuringSchedulingIgnoredDuringExecution"]

    labels = {
        "app.kubernetes.io/name": "ensemble",
        "app.kubernetes.io/instance": "grid",
        "app.kubernetes.io/component": "site",
    }
    for site in ["lyon", "oslo"]:
        kept = [chart.selects(term["labelSelector"], {**labels, "ensemble-site": site})
                for term in terms]
        assert kept.count(True) == 1
    assert {term["topologyKey"] for term in terms} == {"kubernetes.io/hostname"}


def test_hosts_can_be_shared_by_choice():
    assert "requiredDuringSchedulingIgnoredDuringExecution" not in affinity(SECURED, "grid-lyon")
    none = {"infinispan": {"antiAffinity": {"betweenSites": "none", "withinSite": "none"}}}
    assert affinity(chart.merged(SECURED, none), "grid-lyon") == {}


def test_entries_on_disk_have_a_claim_and_are_registered_so():
    documents = chart.render(SECURED)

    (claim,) = chart.one(documents, "StatefulSet", "grid-lyon")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "20Gi"
    assert claim["spec"]["storageClassName"] == "fast"
    assert "'--storage=disk'" in script(documents, "grid-registration")


def test_entries_in_memory_have_no_claim():
    documents = chart.render(SITES)

    assert "volumeClaimTemplates" not in chart.one(
        documents, "StatefulSet", "grid-ensemble-lyon")["spec"]
    assert "'--storage=memory'" in script(documents)


def test_a_user_is_generated_only_where_asked():
    secrets = [one for one in chart.render(SITES) if one["kind"] == "Secret"]

    (secret,) = secrets
    assert secret["metadata"]["name"] == "grid-ensemble-rome-user"
    assert secret["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert base64.b64decode(secret["data"]["username"]) == b"ensemble"
    assert len(base64.b64decode(secret["data"]["password"])) == 32


def test_the_user_of_a_node_comes_from_the_secret(tmp_path):
    stateful = chart.one(chart.render(SITES), "StatefulSet", "grid-ensemble-lyon")
    (user,) = stateful["spec"]["template"]["spec"]["initContainers"]
    assert {one["valueFrom"]["secretKeyRef"]["name"] for one in user["env"]} == {"lyon-user"}

    made = user["command"][-1].replace("/run/ensemble-site", str(tmp_path))
    subprocess.run(["sh", "-ec", made], env={"SITE_USER": "ada", "SITE_PASSWORD": "a%s $b"},
                   check=True)

    assert (tmp_path / "users.properties").read_text() == "ada=a%s $b\n"
    assert (tmp_path / "groups.properties").read_text() == "ada=admin\n"
    assert (tmp_path / "users.properties").stat().st_mode & 0o077 == 0


def test_the_script_of_the_image_makes_no_user_and_passes_signals_on():
    node = only_container(chart.render(SITES), "StatefulSet", "grid-ensemble-lyon")

    assert environment(node)["MANAGED_ENV"] == "TRUE"
    assert environment(node)["LAUNCH_ISPN_IN_BACKGROUND"] == "true"


def test_tls_of_a_site_is_for_nodes_probes_and_clients():
    documents = chart.render(SECURED)

    config = chart.one(documents, "ConfigMap", "grid-lyon")["data"]["infinispan.xml"]
    assert 'keystore path="/etc/ensemble-site/tls/keystore.p12"' in config
    node = only_container(documents, "StatefulSet", "grid-lyon")
    assert node["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"
    assert "KEY_STORE_PASSWORD" in environment(node)
    registration = script(documents, "grid-registration")
    assert "'--trust-store=/etc/ensemble/sites/lyon/ca.crt'" in registration
    assert "'--server-name=grid-lyon.shop.svc.cluster.local'" in registration


def test_a_site_that_exists_is_registered_and_not_started():
    registration = script(chart.render(EXISTING))

    assert (f"{ADD}lyon-0.example:11222,lyon-1.example:11222,lyon-2.example:11222' "
            "'--storage=disk' '--trust-store=/etc/ensemble/sites/lyon/ca.crt' "
            "'--server-name=lyon.example'") in registration
    assert "add oslo '--endpoints=oslo.example:11222' '--storage=memory'\n" in registration


def test_each_node_of_a_stateful_set_that_exists_gets_an_address():
    documents = chart.render(EXISTING)

    for node in range(3):
        service = chart.one(documents, "Service", f"grid-ensemble-rome-{node}")
        assert service["spec"]["selector"] == {
            "statefulset.kubernetes.io/pod-name": f"rome-infinispan-{node}"
        }
    nodes = [f"grid-ensemble-rome-{n}.shop.svc.cluster.local:11222" for n in range(3)]
    assert f"add rome '--endpoints={','.join(nodes)}'" in script(documents)


# The registration


def run_registration(directory, values, answers):
    """Runs the script with a command line that is a script of the shell, `answers`."""
    (directory / "sites").mkdir()
    for site in ["lyon", "oslo", "rome"]:
        (directory / "sites" / site).mkdir()
        (directory / "sites" / site / "username").write_text("ada")
    command = directory / "ensemble"
    log = directory / "calls"
    command.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\n{answers}\n')
    command.chmod(0o755)
    text = script(chart.render(values)).replace("$(cat /etc/ensemble", f"$(cat {directory}")
    run = subprocess.run(["sh", "-euc", text], capture_output=True, text=True, check=False,
                         env={"PATH": f"{directory}:{os.environ['PATH']}"})
    return run, log.read_text().splitlines()


def test_the_registration_adds_sites_and_creates_caches(tmp_path):
    run, calls = run_registration(tmp_path, SITES, "echo done")

    assert run.returncode == 0, run.stderr
    assert [call.split()[:3] for call in calls] == [
        ["sites", "add", "lyon"],
        ["sites", "add", "oslo"],
        ["sites", "add", "rome"],
        ["caches", "create", "orders"],
        ["caches", "create", "views"],
    ]
    assert "--label=region=eu --label=tier=gold" in calls[0]
    assert calls[0].endswith("--credentials=ada@file:/etc/ensemble/sites/lyon/password")
    assert calls[3] == "caches create orders --mode=mwmr --sites=lyon,oslo,rome --deadline 5s"
    assert calls[4] == "caches create views --mode=weak --replication=2"


def test_the_registration_leaves_a_site_that_exists(tmp_path):
    exists = (
        'case $* in "sites add"*) echo "ensemble: a site of this name exists; site=$3" >&2;'
        " exit 1;; esac"
    )
    run, calls = run_registration(tmp_path, SITES, exists)

    assert run.returncode == 0, run.stderr
    assert len(calls) == 5
    assert "exists: site lyon" in run.stdout


def test_the_message_of_a_site_that_exists_is_that_of_the_product():
    source = "ensemble-core/src/main/java/io/ensemble/Membership.java"

    assert '"a site of this name exists; site="' in (chart.HERE.parents[2] / source).read_text()


def test_the_registration_calls_the_command_of_the_image():
    registration = script(chart.render(SECURED), "grid-registration")

    assert "'/opt/ensemble/bin/ensemble' \"$@\"" in registration


def test_the_registration_fails_while_a_site_does_not_answer(tmp_path):
    silent = 'echo "ensemble: no node of the site answers; site=$3" >&2; exit 1'
    run, calls = run_registration(tmp_path, SITES, silent)

    assert run.returncode == 1
    assert len(calls) == 1
    assert "no node of the site answers" in run.stderr


def test_the_registration_fails_with_a_cache(tmp_path):
    refused = 'case $* in "caches create"*) exit 1;; esac'
    run, calls = run_registration(tmp_path, SITES, refused)

    assert run.returncode == 1
    assert len(calls) == 4


def test_the_registration_follows_installation_and_upgrade():
    job = chart.one(chart.render(SITES), "Job", "grid-ensemble-registration")

    assert job["metadata"]["annotations"]["helm.sh/hook"] == "post-install,post-upgrade"
    assert job["spec"]["backoffLimit"] == 10


def test_passwords_are_at_the_same_paths_in_each_process():
    documents = chart.render(SITES)

    for kind, name in [("Deployment", "rest"), ("Deployment", "maintenance"),
                       ("Job", "registration")]:
        mounts = only_container(documents, kind, f"grid-ensemble-{name}")["volumeMounts"]
        assert {f"/etc/ensemble/sites/{site}" for site in ["lyon", "oslo", "rome"]} <= {
            mount["mountPath"] for mount in mounts
        }


# Networks


def allows(documents, client, server, port):
    """Whether the policies for pods with the labels `server` let `client` in at `port`."""
    policies = [one["spec"] for one in documents
                if one["kind"] == "NetworkPolicy" and "Ingress" in one["spec"]["policyTypes"]
                and chart.selects(one["spec"]["podSelector"], server)]
    assert policies
    for policy in policies:
        for rule in policy["ingress"]:
            is_port = port in [one["port"] for one in rule["ports"]]
            is_peer = "from" not in rule or any(
                "podSelector" in peer and chart.selects(peer["podSelector"], client)
                for peer in rule["from"]
            )
            if is_port and is_peer:
                return True
    return False


def labels(component, site=None):
    return {
        "app.kubernetes.io/name": "ensemble",
        "app.kubernetes.io/instance": "grid",
        "app.kubernetes.io/component": component,
        **({"ensemble-site": site} if site else {}),
    }


LYON = labels("site", "lyon")
OSLO = labels("site", "oslo")


@pytest.mark.parametrize(
    "client, server, port, is_allowed",
    [
        (labels("rest"), LYON, 11222, True),
        (labels("maintenance"), LYON, 11222, True),
        (labels("registration"), LYON, 11222, True),
        ({"uses": "grid"}, LYON, 11222, False),
        (LYON, LYON, 7800, True),
        (LYON, LYON, 57800, True),
        (OSLO, LYON, 7800, False),
        (OSLO, LYON, 11222, False),
        (labels("rest"), LYON, 7800, False),
        (labels("rest"), labels("zookeeper"), 2181, True),
        (labels("zookeeper"), labels("zookeeper"), 3888, True),
        (LYON, labels("zookeeper"), 2181, False),
        (labels("rest"), labels("zookeeper"), 2888, False),
        ({"uses": "grid"}, labels("rest"), 7460, True),
        ({"uses": "grid"}, labels("maintenance"), 7460, False),
    ],
)
def test_network(client, server, port, is_allowed):
    assert allows(chart.render(SITES), client, server, port) == is_allowed


def test_applications_reach_sites_and_catalog_by_choice():
    documents = chart.render(SECURED)

    assert allows(documents, {"uses": "grid"}, LYON, 11222)
    assert allows(documents, {"uses": "grid"}, labels("zookeeper"), 2181)
    assert not allows(documents, {"uses": "grid"}, LYON, 7800)
    assert not allows(documents, {"uses": "grid"}, labels("rest"), 7460)


def test_clients_reach_sites_and_catalogs_outside():
    values = chart.merged(EXISTING, {"networkPolicy": {"enabled": True}})

    policy = chart.one(chart.render(values), "NetworkPolicy", "grid-ensemble-clients")
    open_ports = [[one["port"] for one in rule["ports"]]
                  for rule in policy["spec"]["egress"] if "to" not in rule]
    assert open_ports == [[53, 53], [2181], [11222]]


# Metrics


def test_the_monitor_has_a_token_and_an_authority():
    documents = chart.render(SECURED)

    (endpoint,) = chart.one(documents, "ServiceMonitor", "grid")["spec"]["endpoints"]
    assert endpoint["authorization"]["credentials"] == {"name": "prometheus-token", "key": "token"}
    assert endpoint["tlsConfig"]["serverName"] == "grid.shop.svc.cluster.local"
    assert endpoint["tlsConfig"]["ca"]["secret"] == {"name": "ensemble-rest-tls", "key": "ca.crt"}


def test_annotations_name_the_port():
    pod = chart.one(chart.render(ZOOFENCE), "Deployment", "grid-ensemble-rest")

    annotations = pod["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == "7460"
    assert annotations["prometheus.io/path"] == "/metrics"


# Values and notes


def test_every_value_of_values_yaml_is_explained_or_under_an_explanation():
    lines = (chart.CHART / "values.yaml").read_text().splitlines()
    blocks = [n for n, line in enumerate(lines) if re.match(r"[a-zA-Z]+:", line)]

    assert len(blocks) > 15
    for n in blocks:
        has_comment = lines[n - 1].startswith("#")
        has_inner = n + 1 < len(lines) and lines[n + 1].startswith("  #")
        assert has_comment or has_inner, lines[n]


def test_values_yaml_has_each_value_of_the_schema_and_no_other():
    schema = json.loads((chart.CHART / "values.schema.json").read_text())
    values = yaml.safe_load((chart.CHART / "values.yaml").read_text())

    def compare(properties, found, path):
        assert found.keys() == properties.keys() - {"global"}, path
        for name, value in found.items():
            inner = properties[name].get("properties")
            if inner and name != "settings":
                compare(inner, value, f"{path}.{name}")

    compare(schema["properties"], values, "")


def test_the_values_of_the_documentation_render():
    page = (chart.HERE.parents[2] / "docs" / "kubernetes.md").read_text()
    values = page.split("$ cat grid.yaml\n")[1].split("$ helm install")[0]

    documents = chart.render(yaml.safe_load(values))

    assert len([one for one in documents if one["kind"] == "StatefulSet"]) == 4


def notes(directory, values):
    """The notes, as a field of an object, because Helm 3 shows them only with a cluster."""
    copied = directory / "ensemble"
    shutil.copytree(chart.CHART, copied)
    text = (copied / "templates" / "NOTES.txt").read_text()
    (copied / "templates" / "notes.yaml").write_text(
        f'{{{{ define "notes" }}}}{text}{{{{ end }}}}'
        'kind: Notes\nmetadata: {name: notes}\ntext: {{ include "notes" . | quote }}\n'
    )
    documents = chart.helm(
        "template", "grid", copied, "--namespace=shop", "--values=-",
        "--show-only=templates/notes.yaml", text=yaml.safe_dump(values),
    )
    return yaml.safe_load(documents)["text"]


def test_the_notes_name_addresses_and_warn(tmp_path):
    values = {"infinispan": {"updateStrategy": "RollingUpdate"}}
    found = notes(tmp_path, chart.merged(EXISTING, values))

    assert "http://grid-ensemble.shop:7460" in found
    assert "lyon-0.example:11222" in found
    assert "WARNING: maintenance.runsIn=none" in found
    assert "WARNING: access.clearText=true" in found
    assert "WARNING: infinispan.updateStrategy=RollingUpdate" in found


def test_the_notes_say_how_to_restart_nodes(tmp_path):
    found = notes(tmp_path, SITES)

    assert "sites recover SITE" in found
    assert "WARNING: the catalog requires no user" in found
