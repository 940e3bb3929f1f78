package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.definition.DistributedCatalogContract;
import io.ensemble.catalog.definition.FencedDefinitionsIT;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.ZooKeeperDefinitions;
import io.ensemble.catalog.record.ZooKeeperAccess;
import io.ensemble.catalog.task.TaskEntry;
import io.ensemble.zoofence.flattening.FlatteningText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Catalogs in three ZooKeepers that are served as one, with each site's records at the site's
 * ensemble or with all records at all ensembles. The whole contract is {@link FencedDefinitionsIT}.
 */
public class FencedCatalogIT {

  private static final StoredDefinition FIRST = DistributedCatalogContract.FIRST;
  private static final Map<String, String> SITES = Map.of("lyon", "2", "oslo", "3");
  private static final String OWNER = "0".repeat(31) + "1";

  @TempDir static Path directory;

  private static FencedZooKeepers fencedZooKeepers;

  private final List<ZooKeeperDefinitions> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    String rules =
        CatalogFlattening.rules("/placed", "1", SITES)
            + CatalogFlattening.rules("/split", "1", SITES);
    fencedZooKeepers = new FencedZooKeepers(directory, rules, Duration.ofSeconds(2));
    fencedZooKeepers.stopProxy(1);
  }

  @AfterAll
  static void stop() {
    fencedZooKeepers.close();
  }

  @AfterEach
  void close() {
    opened.forEach(ZooKeeperDefinitions::close);
  }

  private ZooKeeperDefinitions open(String path) {
    ZooKeeperDefinitions catalog =
        ZooKeeperDefinitions.at(ZooKeeperAccess.to(fencedZooKeepers.address(0) + path));
    opened.add(catalog);
    return catalog;
  }

  private static <T> T get(CompletionStage<T> stage) {
    return DistributedCatalogContract.get(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/split", "/whole"})
  void oneOfManyConcurrentReplacementsWinsAndADeletionRemovesIt(String path) {
    ZooKeeperDefinitions catalog = open(path);
    get(catalog.create(FIRST));
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      StoredDefinition mine = FIRST.withIncarnation("ü", "000000%02x".formatted(i));
      answers.add(open(path).replace(mine).toCompletableFuture());
    }

    assertThat(answers.stream().filter(FencedCatalogIT::get)).hasSize(1);
    StoredDefinition winner = get(open(path).get("c")).orElseThrow();
    assertThat(winner.revision()).isEqualTo(2);
    assertThat(get(catalog.delete(FIRST))).as("a former revision").isFalse();
    assertThat(get(catalog.delete(winner))).isTrue();
    assertThat(get(open(path).get("c"))).isEmpty();
  }

  @Test
  void eachSitesTaskIsAtItsOwnEnsembleAndGoesOnWhileAnothersIsAway() throws Exception {
    ZooKeeperDefinitions catalog = open("/placed");
    TaskEntry lyon = TaskEntry.first(TaskEntry.ofSite("lyon"), OWNER, Map.of("state", "up"));
    TaskEntry oslo = TaskEntry.first(TaskEntry.ofSite("oslo"), OWNER, Map.of("state", "up"));
    get(catalog.create(FIRST));
    get(catalog.tasks().create(lyon));
    get(catalog.tasks().create(oslo));

    TaskEntry beating = lyon.beating(Map.of());
    assertThat(get(catalog.tasks().replace(beating))).isTrue();
    assertThat(get(catalog.tasks().replace(oslo.beating(Map.of())))).isTrue();

    assertThat(versions("/placed/task/site%20lyon")).containsExactly(0, 1, 0);
    assertThat(versions("/placed/task/site%20oslo")).containsExactly(0, 0, 1);
    assertThat(versions("/placed/cache/c"))
        .containsExactly(0, FencedZooKeepers.NONE, FencedZooKeepers.NONE);
    fencedZooKeepers.stopInstance(2);
    try {
      assertThat(get(catalog.tasks().ofSites(List.of("lyon", "oslo")))).containsOnlyKeys("lyon");
      assertThat(get(catalog.tasks().replace(beating.beating(Map.of())))).isTrue();
      assertThat(get(catalog.replace(FIRST.withIncarnation("ü", "0000000f")))).isTrue();
    } finally {
      fencedZooKeepers.startInstance(2);
    }
  }

  /** The version that each ensemble has of a node. */
  private static List<Integer> versions(String path) {
    return List.of(0, 1, 2).stream().map(number -> fencedZooKeepers.version(number, path)).toList();
  }

  @Test
  void theFlatteningReadsAsItWasWritten() {
    String rules = CatalogFlattening.rules("/a/b", "main", Map.of("ü = x", "far"));

    String read = FlatteningText.read(rules, List.of("far", "main", "other")).toString();

    assertThat(read).contains("/a/b 1,2\n", "/a/b/site 2\n", "/a/b/task/site%20%c3%bc%20%3d%20x 1");
  }
}
