package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalFederation;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Grant;
import io.ensemble.objects.sync.Synchronizers;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every command against a running federation; each opens its own connections, as a process does.
 */
class CliIT {

  @TempDir static Path directory;
  private static FederationFile file;
  private static RunningFederation federation;
  private static CliRunner ensemble;

  @BeforeAll
  static void up() {
    file = FederationFile.at(directory.resolve("federation.json"));
    ensemble = new CliRunner(file);
    federation = RunningFederation.start(file.claim(), LocalPlan.embedded(3, 1), line -> {});
  }

  @AfterAll
  static void down() {
    federation.close();
    assertThat(file.path()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"weak", "swmr", "mwmr"})
  void aKeyIsWrittenReadAndRemoved(String mode) throws IOException {
    String cache = "keys-" + mode;
    ensemble.ok("created: cache '" + cache + "'", "caches", "create", cache, "--mode", mode);

    ensemble.ok("written", "put", cache, "k", "v1");
    ensemble.ok("v1", "get", cache, "k");
    CliResult taken = ensemble.run("put", cache, "k", "v2", "--if-absent");
    assertThat(taken.code()).isEqualTo(ExitCode.FAILED);
    assertThat(taken.err()).contains("condition not met", "the value is 'v1'");
    ensemble.ok("written", "put", cache, "k", "v2", "--if-value", "v1");
    assertThat(ensemble.run("put", cache, "k", "v3", "--if-value", "v1").code())
        .isEqualTo(ExitCode.FAILED);
    assertThat(ensemble.run("get", cache, "k", "--json").json().get("value").asText())
        .isEqualTo("v2");
    assertThat(ensemble.run("remove", cache, "k", "--if-value", "other").code())
        .isEqualTo(ExitCode.FAILED);
    ensemble.ok("removed", "remove", cache, "k");

    CliResult absent = ensemble.run("get", cache, "k", "--json");
    assertThat(absent.code()).isEqualTo(ExitCode.FAILED);
    assertThat(absent.json().get("present").asBoolean()).isFalse();
    assertThat(absent.json().get("value").isNull()).isTrue();
    ensemble.ok("deleted", "caches", "delete", cache);
  }

  @Test
  void changesAreWatchedFromAPosition() throws IOException {
    ensemble.ok("created", "caches", "create", "watched", "--mode", "mwmr");
    ensemble.ok("written", "put", "watched", "old", "v0");
    CliResult first = ensemble.run("watch", "watched", "--idle", "1s", "--json");
    assertThat(first.code()).isEqualTo(ExitCode.OK);
    String position = first.json().get("position").asText();
    ensemble.ok("written", "put", "watched", "k", "v1");
    ensemble.ok("written", "put", "watched", "k", "v2");

    CliResult watched = ensemble.run("watch", "watched", "--idle", "1s", "--from", position);
    CliResult one = ensemble.run("watch", "watched", "old", "--idle", "1s", "--from", position);

    assertThat(watched.out().lines().toList())
        .satisfiesExactly(
            line -> assertThat(line).endsWith(" modified k v2"),
            line -> assertThat(line).startsWith("gap resumed of all keys"),
            line -> assertThat(line).startsWith("position "));
    assertThat(one.out()).startsWith("position ");
    ensemble.refused(
        ExitCode.USAGE, "malformed position", "watch", "watched", "--idle", "1s", "--from", "x");
    ensemble.ok("created", "caches", "create", "unwatched", "--mode", "weak", "--siblings", "4");
    ensemble.refused(
        ExitCode.USAGE,
        "a cache with siblings cannot be listened to; cache=unwatched mode=WEAK",
        "watch",
        "unwatched");
  }

  @Test
  void anInterruptedWatchPrintsItsPosition() throws Exception {
    ensemble.ok("created", "caches", "create", "interrupted", "--mode", "mwmr");
    List<String> command =
        List.of("watch", "interrupted", "--json", "--federation", file.path().toString());
    try (CliProcess watch = CliProcess.started("256m", command)) {
      int written = 0;
      while (watch.process().getInputStream().available() == 0) {
        ensemble.ok("written", "put", "interrupted", "k", "v" + ++written);
      }
      assertThat(watch.published().get("key").asText()).isEqualTo("k");

      watch.process().toHandle().destroy(); // Process.destroy would close the output.

      List<String> lines = watch.process().inputReader().lines().toList();
      String position =
          JsonOutput.mapper().readTree(lines.get(lines.size() - 1)).get("position").asText();
      CliResult resumed = ensemble.run("watch", "interrupted", "--idle", "1s", "--from", position);
      assertThat(resumed.out()).startsWith("position ");
    }
  }

  @Test
  void aWatchEndsWithTheProgramThatReadsItsOutput() throws Exception {
    ensemble.ok("created", "caches", "create", "piped", "--mode", "mwmr");
    List<String> command = List.of("watch", "piped", "--federation", file.path().toString());
    try (CliProcess watch = CliProcess.started("256m", command)) {
      int written = 0;
      while (watch.process().getInputStream().available() == 0) {
        ensemble.ok("written", "put", "piped", "k", "v" + ++written);
      }

      watch.process().getInputStream().close();
      while (watch.process().isAlive() && written < 200) {
        ensemble.ok("written", "put", "piped", "k", "v" + ++written);
      }

      assertThat(watch.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(watch.process().exitValue()).isEqualTo(ExitCode.OK);
    }
  }

  @Test
  void aLockIsShownAndRevoked() throws Exception {
    ensemble.ok("created", "caches", "create", "locks", "--mode", "mwmr");
    ensemble.refused(ExitCode.FAILED, "there is no lock 'l'", "locks", "show", "locks", "l");
    ensemble.refused(
        ExitCode.FAILED, "there is no lock 'l'", "locks", "revoke", "locks", "l", "--token", "1");
    try (FederationConnection connected = FederationConnection.connect(file.read(), null);
        AtomicObjectFactory factory =
            AtomicObjectFactory.on(
                new EnsembleObjectStore(connected.<String, byte[]>cache("locks")));
        FencedLock lock = Synchronizers.on(factory).lease(Duration.ofHours(1)).lock("l")) {
      Grant grant = lock.tryAcquire().orElseThrow();
      String token = String.valueOf(grant.token());
      ensemble.ok("held: token " + token + ", lease 3600000 ms", "locks", "show", "locks", "l");
      JsonNode listed = ensemble.run("objects", "list", "locks", "--json").json();
      assertThat(listed.at("/objects/0/name").asText()).isEqualTo("l");
      assertThat(listed.at("/objects/0/type").asText()).startsWith("ensemble");
      assertThat(listed.get("objects")).hasSize(1);
      assertThat(listed.get("more").asBoolean()).isFalse();
      ensemble.ok("no objects", "objects", "list", "locks", "--prefix", "m");

      JsonNode revoked =
          ensemble.run("locks", "revoke", "locks", "l", "--token", token, "--json").json();

      assertThat(revoked.get("token").asLong()).isGreaterThan(grant.token());
      ensemble.ok("free", "locks", "show", "locks", "l");
      CliResult repeated = ensemble.run("locks", "revoke", "locks", "l", "--token", token);
      assertThat(repeated.code()).isEqualTo(ExitCode.FAILED);
      assertThat(repeated.err()).contains("no holder of lock 'l'");
      assertThat(lock.tryAcquire().orElseThrow().token())
          .isGreaterThanOrEqualTo(revoked.get("token").asLong());
    }
    ensemble.ok("deleted", "caches", "delete", "locks");
  }

  @Test
  void aTreeIsReadChangedAndWatched() throws Exception {
    ensemble.ok("created", "caches", "create", "trees", "--mode", "mwmr");
    ensemble.refused(ExitCode.FAILED, "there is no tree 't'", "tree", "ls", "trees", "t");
    ensemble.refused(
        ExitCode.USAGE, "a path must begin with /", "tree", "write", "trees", "t", "local", "x");
    ensemble.refused(
        ExitCode.USAGE,
        "the name of a user",
        "tree",
        "write",
        "trees",
        "t",
        "/local",
        "x",
        "--user",
        "a/b");
    ensemble.refused(
        ExitCode.FAILED,
        "there is no tree 't'",
        "tree",
        "write",
        "trees",
        "t",
        "/local",
        "x",
        "--user",
        "eve");
    ensemble.refused(ExitCode.FAILED, "there is no tree 't'", "tree", "ls", "trees", "t");
    ensemble.ok("", "tree", "write", "trees", "t", "/local/domain/1/name", "one");
    ensemble.ok("", "tree", "write", "trees", "t", "/local/domain/2", "two");
    ensemble.ok("1\n2", "tree", "ls", "trees", "t", "/local/domain");
    ensemble.ok("/local\n/local/domain\n/local/domain/1\n", "tree", "ls", "trees", "t", "-r");
    ensemble.ok("local", "tree", "ls", "trees", "t", "--limit", "2147483647");
    ensemble.ok("one", "tree", "read", "trees", "t", "/local/domain/1/name");
    ensemble.refused(
        ExitCode.FAILED,
        "the node exists",
        "tree",
        "write",
        "trees",
        "t",
        "/local",
        "x",
        "--if-absent");
    ensemble.refused(
        ExitCode.FAILED,
        "eve needs read access",
        "tree",
        "read",
        "trees",
        "t",
        "/local",
        "--user",
        "eve");
    ensemble.refused(
        ExitCode.USAGE, "a path must begin with /", "tree", "read", "trees", "t", "local");
    JsonNode listed =
        ensemble.run("tree", "ls", "trees", "t", "/local/domain", "-l", "--json").json();
    assertThat(listed.at("/nodes/1/bytes").asInt()).isEqualTo(3);
    assertThat(listed.at("/nodes/1/owner").asText()).isEqualTo("admin");
    assertThat(listed.at("/commit").asLong()).isEqualTo(3);
    assertThat(
            ensemble
                .run("tree", "ls", "trees", "t", "-r", "--limit", "2", "--json")
                .json()
                .at("/more")
                .asBoolean())
        .isTrue();
    JsonNode read = ensemble.run("tree", "read", "trees", "t", "/local/domain/2", "--json").json();
    assertThat(read.get("value").asText()).isEqualTo("two");
    assertThat(read.get("modified").asLong()).isEqualTo(3);

    CliResult watched = ensemble.run("tree", "watch", "trees", "t", "/local", "--for", "10ms");
    assertThat(watched.code()).isZero();
    assertThat(watched.err()).isEqualTo("watching /local since commit 3\n");
    ensemble.ok("", "tree", "rm", "trees", "t", "/local/domain");
    ensemble.ok("there was no node", "tree", "rm", "trees", "t", "/local/domain");
    CliResult absent = ensemble.run("tree", "read", "trees", "t", "/local/domain/2", "--json");
    assertThat(absent.code()).isEqualTo(ExitCode.FAILED);
    assertThat(absent.json().get("present").asBoolean()).isFalse();
    ensemble.ok("deleted", "caches", "delete", "trees");
  }

  @Test
  void aPrivateCacheIsUsedWithItsKeysetAlone(@TempDir Path directory) {
    String file = directory.resolve("keyset").toString();
    assertThat(CliResult.ensemble("keys", "create", "--names", file).code()).isZero();
    ensemble.refused(
        ExitCode.USAGE, "--keyset FILE", "caches", "create", "s", "--mode", "mwmr", "--private");
    ensemble.ok(
        "created",
        "caches",
        "create",
        "secret",
        "--mode",
        "mwmr",
        "--private",
        "--private-keys",
        "--keyset",
        file);
    ensemble.ok("written", "put", "secret", "k", "v", "--keyset", file);

    ensemble.refused(ExitCode.FAILED, "a private cache requires a keyset", "get", "secret", "k");
    ensemble.ok("v", "get", "secret", "k", "--keyset", file);
    assertThat(CliResult.ensemble("keys", "rotate", file).code()).isZero();
    assertThat(ensemble.run("caches", "reencrypt", "secret", "--keyset", file).out())
        .startsWith("1 keys, 1 encrypted again, 0 left, 0 unreadable");
    assertThat(ensemble.run("caches", "reencrypt", "secret", "--keyset", file).out())
        .startsWith("1 keys, 0 encrypted again");
    ensemble.ok("v", "get", "secret", "k", "--keyset", file);
    ensemble.ok("created", "caches", "create", "open", "--mode", "mwmr");
    ensemble.refused(
        ExitCode.FAILED, "but the cache is not private", "put", "open", "k", "v", "--keyset", file);
    assertThat(ensemble.run("caches", "describe", "secret").out()).contains("values_and_keys");
  }

  @Test
  void aWeakWriteHasReachedEverySiteWhenItsCommandEnds() {
    ensemble.ok("created", "caches", "create", "copied", "--mode", "weak");
    ensemble.ok("written", "put", "copied", "k", "v");

    assertThat(((LocalFederation.Embedded) federation.sites()).sites().sites())
        .allSatisfy(
            site ->
                assertThat(site.size(store("copied", site.name()))).as(site.name()).isEqualTo(1));
  }

  @Test
  void aLifespanEnds() throws InterruptedException {
    ensemble.ok("created", "caches", "create", "brief", "--mode", "mwmr");
    ensemble.ok("written", "put", "brief", "k", "v", "--lifespan", "1ms");

    assertThat(ensemble.run("get", "brief", "k").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aCacheIsListedAndDescribed() throws IOException {
    ensemble.ok(
        "created: cache 'placed', weak, at rome,lyon",
        "caches",
        "create",
        "placed",
        "--mode",
        "WEAK",
        "--sites",
        "rome,lyon,oslo",
        "--replication",
        "2",
        "--ack",
        "majority",
        "--deadline",
        "3s");

    JsonNode listed = ensemble.run("caches", "list", "--json").json().get("caches");
    JsonNode described = ensemble.run("caches", "describe", "placed", "--json").json();

    assertThat(listed.findValuesAsText("name")).contains("placed");
    assertThat(described.get("mode").asText()).isEqualTo("weak");
    assertThat(described.get("sites").toString()).isEqualTo("[\"rome\",\"lyon\"]");
    assertThat(described.get("acknowledgement").asText()).isEqualTo("majority");
    assertThat(described.get("deadline_millis").asInt()).isEqualTo(3000);
    assertThat(described.get("stores").get("rome").asText()).startsWith("placed.1.");
    assertThat(described.get("redundancy").get("can_lose").asInt()).isEqualTo(1);
    assertThat(described.get("redundancy").get("replicas").get("rome").asText()).isEqualTo("whole");
    assertThat(ensemble.run("caches", "list").out()).contains("placed", "rome,lyon");
    assertThat(ensemble.run("caches", "describe", "placed").out())
        .contains("guarantee", "3000 ms", "2 of 2 available; survives 1 further loss");
  }

  @Test
  void whatCannotBeIsRefusedInOneLine() {
    ensemble.ok("created", "caches", "create", "there", "--mode", "mwmr");

    ensemble.refused(
        ExitCode.FAILED, "other settings", "caches", "create", "there", "--mode", "weak");
    ensemble.refused(
        ExitCode.USAGE,
        "no such site: 'paris'",
        "caches",
        "create",
        "x",
        "--mode",
        "weak",
        "--sites",
        "paris");
    ensemble.refused(
        ExitCode.USAGE,
        "--replication must be in [1, 3]",
        "caches",
        "create",
        "x",
        "--mode",
        "weak",
        "--replication",
        "4");
    ensemble.refused(
        ExitCode.USAGE,
        "LOCAL requires mode WEAK",
        "caches",
        "create",
        "x",
        "--mode",
        "mwmr",
        "--ack",
        "local");
    ensemble.refused(
        ExitCode.USAGE, "must not be blank", "caches", "create", " ", "--mode", "weak");
    ensemble.refused(ExitCode.FAILED, "there is no cache 'none'", "get", "none", "k");
    ensemble.refused(ExitCode.FAILED, "there is no cache 'none'", "caches", "delete", "none");
    ensemble.refused(ExitCode.FAILED, "there is no cache 'none'", "caches", "describe", "none");
    ensemble.refused(ExitCode.USAGE, "local site", "get", "there", "k", "--local-site", "paris");
    ensemble.refused(ExitCode.USAGE, "deadline", "get", "there", "k", "--deadline", "0s");
    assertThat(ensemble.run("caches", "create", "there", "--mode", "mwmr").code()).isZero();
  }

  @Test
  void everySiteAnswersItsPing() throws IOException {
    CliResult ran = ensemble.run("sites", "--json");

    assertThat(ran.code()).isZero();
    assertThat(ran.json().get("sites").findValuesAsText("name"))
        .containsExactly("lyon", "oslo", "rome");
    assertThat(ran.json().get("sites"))
        .allSatisfy(
            site -> {
              assertThat(site.get("reachable").asBoolean()).isTrue();
              assertThat(site.get("ping_millis").asDouble()).isPositive();
              assertThat(site.get("nodes")).hasSize(1);
            });
    assertThat(ensemble.run("sites").out()).contains("REACHABLE", "yes", " ms");
  }

  @Test
  @Tag("nightly")
  void aSiteThatCameBackEmptyIsRecoveredByOneCommand() throws IOException {
    for (String mode : List.of("weak", "swmr", "mwmr")) {
      ensemble.ok(
          "created", "caches", "create", "lost-" + mode, "--mode", mode, "--replication", "3");
      ensemble.ok("written", "put", "lost-" + mode, "k", "v");
    }
    EmbeddedSite rome = ((LocalFederation.Embedded) federation.sites()).sites().site("rome");
    rome.kill();
    CliResult away = ensemble.run("sites", "recover", "rome", "--timeout", "1s");
    assertThat(away.code()).isEqualTo(ExitCode.FAILED);
    assertThat(away.out()).contains("FAILED", "lost-weak", "lost-swmr", "lost-mwmr");
    rome.restart();

    CliResult recovered = ensemble.run("sites", "recover", "rome", "--json");
    assertThat(recovered.code()).as(recovered.out()).isZero();
    JsonNode caches = recovered.json().get("caches");
    assertThat(caches.findValuesAsText("cache")).contains("lost-weak", "lost-swmr", "lost-mwmr");
    assertThat(caches)
        .filteredOn(cache -> cache.get("cache").asText().startsWith("lost-"))
        .allSatisfy(
            cache -> {
              assertThat(cache.get("outcome").asText()).isEqualTo("recovered");
              assertThat(cache.get("keys").asLong()).isEqualTo(1);
            });
    CliResult again = ensemble.run("sites", "recover", "rome", "--discard");
    assertThat(again.code()).isZero();
    assertThat(again.out()).contains("unharmed").doesNotContain("recovered", "FAILED");
    assertThat(rome.size(store("lost-mwmr", "rome"))).as("its marker and an entry").isEqualTo(2);
    ensemble.refused(ExitCode.FAILED, "there is no site 'bern'", "sites", "recover", "bern");
  }

  @Test
  void thePrimaryIsShownAndMoved() throws IOException {
    ensemble.ok(
        "created", "caches", "create", "led", "--mode", "swmr", "--sites", "oslo,lyon,rome");
    ensemble.ok("written", "put", "led", "k", "v");
    JsonNode before = ensemble.run("caches", "describe", "led", "--json").json().get("term");
    assertThat(before.get("primary").asText()).isEqualTo("oslo");
    assertThat(before.get("active").asBoolean()).isTrue();
    assertThat(before.get("whole").isBoolean()).isTrue();
    assertThat(before.get("writer").isNull()).as("the command has released the lease").isTrue();

    ensemble.ok(
        "promoted: cache 'led' has its primary at rome", "caches", "promote", "led", "rome");

    JsonNode after = ensemble.run("caches", "describe", "led", "--json").json().get("term");
    assertThat(after.get("primary").asText()).isEqualTo("rome");
    assertThat(after.get("epoch").asLong()).isGreaterThan(before.get("epoch").asLong());
    assertThat(ensemble.run("caches", "describe", "led").out())
        .contains("primary          rome, epoch " + after.get("epoch").asLong())
        .contains("writer           none");
    ensemble.ok("v", "get", "led", "k");
    ensemble.refused(ExitCode.USAGE, "no replica at this site", "caches", "promote", "led", "bern");
    ensemble.refused(
        ExitCode.FAILED, "there is no cache 'none'", "caches", "promote", "none", "rome");
    ensemble.ok("created", "caches", "create", "flat", "--mode", "mwmr");
    ensemble.refused(
        ExitCode.USAGE, "only SWMR caches have a", "caches", "promote", "flat", "rome");
  }

  @Test
  void aCacheAtTwoSitesGoesOnAtOne() throws IOException {
    ensemble.ok("created", "caches", "create", "pair", "--mode", "swmr", "--sites", "oslo,rome");
    assertThat(ensemble.run("caches", "describe", "pair", "--json").json().has("counted"))
        .isFalse();
    ensemble.ok("written", "put", "pair", "k", "v");

    JsonNode promoted =
        ensemble.run("caches", "promote", "pair", "rome", "--without", "oslo", "--json").json();

    assertThat(promoted.get("primary").asText()).isEqualTo("rome");
    assertThat(promoted.get("without").asText()).isEqualTo("oslo");
    ensemble.ok("v", "get", "pair", "k");
    JsonNode described = ensemble.run("caches", "describe", "pair", "--json").json();
    assertThat(described.get("counted")).hasSize(1);
    assertThat(described.get("counted").get(0).asText()).isEqualTo("rome");
    assertThat(ensemble.run("caches", "describe", "pair").out())
        .contains("at oslo          the cache continues without it until it is recovered");
    ensemble.refused(ExitCode.FAILED, "active=[rome]", "caches", "promote", "pair", "oslo");
    String[] both = {"caches", "promote", "pair", "oslo", "--without", "rome"};
    ensemble.refused(ExitCode.FAILED, "active=[rome]", both);
    String[] itself = {"caches", "promote", "pair", "rome", "--without", "rome"};
    ensemble.refused(ExitCode.USAGE, "can continue at one without the other", itself);
  }

  @Test
  void aSecondFederationIsRefusedTheFile() {
    CliResult ran = ensemble.run("up");

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("a federation is running already with " + file.path());
  }

  private static String store(String cache, String site) {
    try {
      return ensemble
          .run("caches", "describe", cache, "--json")
          .json()
          .get("stores")
          .get(site)
          .asText();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
