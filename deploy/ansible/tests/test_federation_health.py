"""What the module takes for healthy, by reports as the command line gives them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "library"))

import federation_health as health  # noqa: E402


def redundancy(whole, **replicas):
    return {"asked": 3, "whole": whole, "needed": 2, "can_lose": 0, "replicas": replicas}


def reports(**changed):
    """A healthy federation of two sites and two caches, except for `changed`."""
    given = {
        "sites": {
            "sites": [
                {
                    "name": name,
                    "nodes": [{"endpoint": f"{name}:1", "reachable": True, "error": None}],
                    "login": {"user": "ensemble", "accepted": True, "error": None},
                }
                for name in ("lyon", "oslo")
            ]
        },
        "sites list": {
            "sites": [
                {"name": name, "state": "serving", "endpoints": [f"{name}:1"], "care": {}}
                for name in ("lyon", "oslo")
            ]
        },
        "migrations list": {"migrations": []},
        "caches list": {"caches": [{"name": "orders"}], "distributed": [{"name": "wide"}]},
        "caches describe orders": {"name": "orders", "redundancy": redundancy(3)},
        "caches describe wide": {"name": "wide", "shards": {"wide.1": redundancy(3)}},
    }
    given.update({name.replace("_", " "): report for name, report in changed.items()})
    return lambda *words: given[" ".join(words)]


class FederationHealthTest(unittest.TestCase):
    def missing(self, expected=None, **changed):
        return health.examine(reports(**changed), expected or {})[0]

    def test_nothing_is_missing_of_a_healthy_federation(self):
        self.assertEqual(([], 2), health.examine(reports(), {"lyon": 1, "oslo": 1}))

    def test_a_cache_without_all_replicas_is_missing_them(self):
        described = {"name": "orders", "redundancy": redundancy(2, lyon="whole", oslo="lost")}
        self.assertEqual(
            ["cache orders has 2 of 3 replicas: oslo lost"],
            self.missing(caches_describe_orders=described),
        )

    def test_each_shard_counts(self):
        described = {"name": "wide", "shards": {"wide.1": redundancy(3), "wide.2": None}}
        self.assertEqual(
            ["cache wide.2 has no definition"], self.missing(caches_describe_wide=described)
        )

    def test_parts_that_change_are_not_healthy(self):
        described = {"name": "wide", "growing": {"to": [], "step": "moving"}}
        self.assertEqual(
            ["the parts of cache wide are changing"], self.missing(caches_describe_wide=described)
        )

    def test_a_change_of_a_cache_is_not_healthy(self):
        self.assertEqual(
            ["cache orders is being changed"],
            self.missing(migrations_list={"migrations": [{"cache": "orders"}]}),
        )

    def test_a_silent_node_and_refused_credentials_are_named(self):
        nodes = reports()("sites")
        nodes["sites"][0]["nodes"][0].update(reachable=False, error="connection refused")
        nodes["sites"][1]["login"].update(accepted=False, error="wrong password")
        self.assertEqual(
            [
                "node lyon:1 of site lyon is silent: connection refused",
                "site oslo rejects the credentials: wrong password",
            ],
            self.missing(sites=nodes),
        )

    def test_a_site_that_is_drained_or_behind_is_not_healthy(self):
        listed = reports()("sites", "list")
        listed["sites"][0]["state"] = "draining"
        listed["sites"][1]["care"] = {"behind": "perhaps"}
        self.assertEqual(
            ["site lyon is draining", "site oslo may lack writes: maintenance is copying them"],
            self.missing(sites_list=listed),
        )

    def test_the_catalog_lacks_sites_and_nodes_of_the_inventory(self):
        self.assertEqual(
            ["site oslo has 1 of 3 nodes in the catalog", "site rome is not in the catalog"],
            self.missing({"lyon": 1, "oslo": 3, "rome": 1}),
        )

    def test_the_wait_ends_when_nothing_is_missing(self):
        answers = [{"migrations": [{"cache": "orders"}]}, {"migrations": []}]
        report = reports()
        pauses = []

        def changing(*words):
            return answers.pop(0) if words[0] == "migrations" else report(*words)

        missing, caches, examinations = health.wait(
            changing, {}, timeout=60, interval=5, clock=lambda: 0, pause=pauses.append
        )
        self.assertEqual(([], 2, 2, [5]), (missing, caches, examinations, pauses))

    def test_the_wait_is_bounded(self):
        now = [0]

        def silent(*words):
            raise health.ReportUnavailable("no catalog")

        missing, caches, examinations = health.wait(
            silent,
            {},
            timeout=12,
            interval=5,
            clock=lambda: now[0],
            pause=lambda seconds: now.__setitem__(0, now[0] + seconds),
        )
        self.assertEqual((["no catalog"], 0, 3), (missing, caches, examinations))

    def test_a_command_without_a_report_is_an_error(self):
        with self.assertRaisesRegex(health.ReportUnavailable, "gave no report"):
            health.reporter("/bin/true", "catalog", 10)("sites")
        with self.assertRaisesRegex(health.ReportUnavailable, "cannot be run"):
            health.reporter("/does/not/exist", "catalog", 10)("sites")


if __name__ == "__main__":
    unittest.main()
