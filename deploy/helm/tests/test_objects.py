"""What holds for every object of every example."""

import re

import kubernetes_validate
import pytest

import chart

# The oldest version that the chart accepts, and the newest that has schemas.
VERSIONS = ["1.27", "1.31", kubernetes_validate.latest_version()]
# No schema: a resource of the Prometheus Operator.
WITHOUT_SCHEMA = {"ServiceMonitor"}


@pytest.fixture(params=chart.EXAMPLES)
def documents(request):
    return chart.render(chart.example(request.param))


@pytest.mark.parametrize("version", VERSIONS)
def test_objects_follow_the_schemas_of_kubernetes(documents, version):
    for document in documents:
        if document["kind"] not in WITHOUT_SCHEMA:
            kubernetes_validate.validate(document, version, strict=True)


def test_the_schemas_refuse_an_unknown_field():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {}, "spec": {"portz": []}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service, VERSIONS[-1], strict=True)


def test_names_are_unique_and_valid(documents):
    names = [(document["kind"], document["metadata"]["name"]) for document in documents]

    assert len(names) == len(set(names))
    for _, name in names:
        assert re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name), name


def test_no_container_is_root_or_writes_to_its_image(documents):
    for workload in chart.workloads(documents):
        assert workload["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"]
        for container in chart.containers(workload):
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] and security["runAsNonRoot"]
            assert not security["allowPrivilegeEscalation"]
            assert security["capabilities"] == {"drop": ["ALL"]}


def test_no_pod_has_a_token_of_kubernetes(documents):
    for workload in chart.workloads(documents):
        assert workload["spec"]["template"]["spec"]["automountServiceAccountToken"] is False
    for document in documents:
        if document["kind"] == "ServiceAccount":
            assert document["automountServiceAccountToken"] is False


def test_every_container_has_resources(documents):
    for workload in chart.workloads(documents):
        for container in chart.containers(workload):
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]


def test_every_service_has_probes(documents):
    for workload in chart.workloads(documents):
        component = workload["metadata"]["labels"]["app.kubernetes.io/component"]
        has_none = component == "registration" or (
            component == "maintenance" and "--no-maintenance" in str(workload)
        )
        for container in workload["spec"]["template"]["spec"]["containers"]:
            assert ("livenessProbe" in container) != has_none
            assert ("readinessProbe" in container) != has_none


def test_every_mount_has_its_volume(documents):
    for workload in chart.workloads(documents):
        volumes = {volume["name"] for volume in workload["spec"]["template"]["spec"]["volumes"]}
        volumes |= {
            claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])
        }
        mounts = [mount for one in chart.containers(workload) for mount in one["volumeMounts"]]
        assert {mount["name"] for mount in mounts} == volumes
        for container in chart.containers(workload):
            paths = [mount["mountPath"] for mount in container["volumeMounts"]]
            assert len(paths) == len(set(paths))


def test_named_ports_exist(documents):
    for workload in chart.workloads(documents):
        for container in chart.containers(workload):
            ports = {port["name"] for port in container.get("ports", [])}
            for probe in ["startupProbe", "livenessProbe", "readinessProbe"]:
                for action in ["httpGet", "tcpSocket"]:
                    if action in container.get(probe, {}):
                        assert container[probe][action]["port"] in ports


def test_selectors_select_the_pods_that_they_are_for(documents):
    pods = [
        workload["spec"]["template"]["metadata"]["labels"]
        for workload in chart.workloads(documents)
    ]
    for document in documents:
        spec = document.get("spec", {})
        if "statefulset.kubernetes.io/pod-name" in spec.get("selector", {}):
            continue  # A pod of another release.
        if document["kind"] == "Service":
            selectors = [{"matchLabels": spec["selector"]}]
        elif document["kind"] == "NetworkPolicy":
            selectors = [spec["podSelector"]]
        elif document["kind"] in ("Deployment", "StatefulSet", "PodDisruptionBudget"):
            selectors = [spec["selector"]]
        else:
            continue
        # Without a worker, the policy of maintenance is that of the registration.
        for selector in selectors:
            is_for_any = any(chart.selects(selector, labels) for labels in pods)
            assert is_for_any or document["metadata"]["name"].endswith("-maintenance"), document
        if "template" in spec:
            assert chart.selects(spec["selector"], spec["template"]["metadata"]["labels"])


def test_no_pod_has_two_disruption_budgets(documents):
    budgets = [one for one in documents if one["kind"] == "PodDisruptionBudget"]
    for workload in chart.workloads(documents):
        labels = workload["spec"]["template"]["metadata"]["labels"]
        found = [one for one in budgets if chart.selects(one["spec"]["selector"], labels)]
        assert len(found) == (0 if workload["kind"] == "Job" else 1)


def test_configuration_that_is_mounted_is_rendered(documents):
    rendered = {one["metadata"]["name"] for one in documents if one["kind"] == "ConfigMap"}
    for workload in chart.workloads(documents):
        for volume in workload["spec"]["template"]["spec"]["volumes"]:
            sources = volume.get("projected", {}).get("sources", [volume])
            for source in sources:
                if "configMap" in source:
                    assert source["configMap"]["name"] in rendered


def test_files_of_secrets_are_closed_to_others(documents):
    for workload in chart.workloads(documents):
        for volume in workload["spec"]["template"]["spec"]["volumes"]:
            for kind in ["secret", "projected"]:
                if kind in volume:
                    assert volume[kind]["defaultMode"] == 0o440


def test_no_password_is_in_an_object_but_secrets(documents):
    for document in documents:
        if document["kind"] != "Secret":
            assert not re.search(r"password: *[A-Za-z0-9]{16,}", str(document))
