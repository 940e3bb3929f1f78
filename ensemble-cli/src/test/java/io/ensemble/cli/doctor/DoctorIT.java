package io.ensemble.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.api.CacheContainerAdmin;
import org.infinispan.commons.configuration.StringConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code doctor} on real servers: in order, then with one fault of each kind. */
@Timeout(600)
class DoctorIT {

  private static final String LOCAL =
      "<local-cache><encoding media-type=\"application/octet-stream\"/></local-cache>";

  @TempDir Path directory;

  @Test
  void aFederationInOrderHasNoErrorAndEachFaultIsFound() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("federation.json"));
    try (RunningFederation federation =
            RunningFederation.start(file.claim(), LocalPlan.embedded(2, 1), line -> {});
        ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String catalog = federation.state().catalog();
      create(catalog, "c", "--mode", "mwmr");
      create(catalog, "moving", "--mode", "weak", "--sites", "lyon");

      CliResult healthy = run(catalog, "doctor", "--json", "--timeout", "60s");
      assertThat(found(healthy, "error")).isEmpty();
      assertThat(healthy.code()).isZero();
      assertThat(found(healthy, "ok"))
          .anyMatch(one -> one.startsWith("redundancy c: 2 of 2"))
          .anyMatch(one -> one.startsWith("stores lyon: 2 stores"))
          .anyMatch(one -> one.startsWith("changes all caches"))
          .anyMatch(one -> one.startsWith("reachability lyon"));
      assertThat(found(healthy, "not_checked"))
          .as("embedded nodes have no REST")
          .anyMatch(one -> one.startsWith("versions lyon"))
          .anyMatch(one -> one.startsWith("clocks oslo"));

      String id = breakEverything(federation);
      run(
          catalog,
          "sites",
          "add",
          "rome",
          "--endpoints",
          "127.0.0.1:" + hung.getLocalPort(),
          "--no-check");
      Inventory before = inventory(catalog);
      CliResult sick = run(catalog, "doctor", "--json", "--timeout", "60s");

      assertThat(sick.code()).isEqualTo(ExitCode.FAILED);
      assertThat(found(sick, "error"))
          .anyMatch(one -> one.startsWith("stores oslo: 1 stores of caches do not exist: c.1."))
          .anyMatch(one -> one.startsWith("redundancy c: 1 of 2 replicas are whole, 2 needed"))
          .anyMatch(one -> one.startsWith("changes moving: a change has not ended, and has no"))
          .anyMatch(one -> one.startsWith("reachability rome"));
      assertThat(found(sick, "warning"))
          .anyMatch(
              one -> one.startsWith("stores lyon: 1 stores that no cache names: gone.1." + id))
          .anyMatch(one -> one.startsWith("owners lyon: 1 stores of an unknown catalog"));
      assertThat(inventory(catalog)).as("doctor changes nothing").isEqualTo(before);
    }
  }

  /** A store that is lost, one without a cache, one of another catalog, and an orphaned change. */
  private static String breakEverything(RunningFederation federation) throws Exception {
    try (RecordDefinitions definitions = CatalogAddress.open(federation.state().catalog());
        RemoteCacheManager lyon = connected(federation, 0);
        RemoteCacheManager oslo = connected(federation, 1)) {
      String id = definitions.id().toCompletableFuture().get();
      StoredDefinition c = stored(definitions, "c");
      oslo.administration().removeCache(c.store("oslo").orElseThrow());
      make(lyon, "gone.1." + id + "03d7e1526fa9.50e7ba6c");
      make(lyon, "other.1.aaaaaaaaaaaa03d7e1526fa9.50e7ba6c");
      StoredDefinition moving = stored(definitions, "moving");
      CacheDefinition to = CacheDefinition.of("moving", Mode.WEAK).sites("oslo").build();
      ConfigurationChange change =
          ConfigurationChange.begun(to, Map.of("oslo", "0badcafe"), "dead", new TreeSet<>());
      assertThat(
              definitions
                  .replace(moving.with(Optional.of(change.resigned())))
                  .toCompletableFuture()
                  .get())
          .isTrue();
      return id;
    }
  }

  private static void create(String catalog, String cache, String... options) {
    List<String> all = new ArrayList<>(List.of("caches", "create", cache, "--catalog", catalog));
    all.addAll(List.of(options));
    await("a busy machine answers")
        .atMost(Duration.ofMinutes(3))
        .until(() -> CliResult.ensemble(all).code() == ExitCode.OK);
  }

  private static Inventory inventory(String catalog) throws Exception {
    try (RecordDefinitions definitions = CatalogAddress.open(catalog)) {
      return definitions.inventory().toCompletableFuture().get();
    }
  }

  private static StoredDefinition stored(RecordDefinitions definitions, String cache)
      throws Exception {
    return definitions.get(cache).toCompletableFuture().get().orElseThrow();
  }

  private static void make(RemoteCacheManager site, String store) {
    site.administration()
        .withFlags(CacheContainerAdmin.AdminFlag.VOLATILE)
        .createCache(store, new StringConfiguration(LOCAL));
  }

  private static RemoteCacheManager connected(RunningFederation federation, int site) {
    String[] at = federation.state().sites().get(site).endpoints().get(0).split(":");
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    configuration.addServer().host(at[0]).port(Integer.parseInt(at[1]));
    configuration.socketTimeout(60_000); // The default of 2 s is too short for a slow machine.
    return new RemoteCacheManager(configuration.build());
  }

  private static CliResult run(String catalog, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--catalog", catalog));
    CliResult ran = CliResult.ensemble(all);
    if (!arguments[0].equals("doctor")) {
      assertThat(ran.code()).as(ran.err()).isZero();
    }
    return ran;
  }

  private static List<String> found(CliResult ran, String severity) throws IOException {
    List<String> found = new ArrayList<>();
    for (JsonNode one : ran.json().get("findings")) {
      if (one.get("severity").asText().equals(severity)) {
        found.add(
            "%s %s: %s"
                .formatted(
                    one.get("check").asText(),
                    one.get("subject").asText(),
                    one.get("seen").asText()));
      }
    }
    return found;
  }
}
