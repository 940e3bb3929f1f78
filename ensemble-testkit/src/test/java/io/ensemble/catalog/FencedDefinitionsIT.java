package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.FlatteningText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A catalog in three ZooKeepers that are served as one: every other one in the test at all three,
 * those between with each site's own at the site's.
 */
class FencedDefinitionsIT extends ZooKeeperDefinitionsTest {

  private static final int CATALOGS = 60;
  private static final Map<String, String> SITES = Map.of("lyon", "2", "oslo", "3");
  private static final String OWNER = "0".repeat(31) + "1";

  @TempDir static Path directory;

  private static Fence fence;

  @BeforeAll
  static void start() throws Exception {
    StringBuilder rules = new StringBuilder(CatalogFlattening.rules("/placed", "1", SITES));
    for (int i = 0; i < CATALOGS; i += 2) {
      rules.append(CatalogFlattening.rules("/catalogs/" + i, "1", SITES));
    }
    fence = new Fence(directory, rules.toString(), Duration.ofSeconds(2));
    fence.stopProxy(1);
  }

  @AfterAll
  static void stop() {
    fence.close();
  }

  @Override
  String servers() {
    return fence.address(0);
  }

  @Override
  void leave() {
    fence.stopProxy(0);
  }

  @Override
  void comeBack() {
    try {
      fence.startProxy(0);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** As of one ZooKeeper, in the gate. */
  @Test
  @Tag("deep")
  void whileNoProxyIsThereNothingCountsAsDeletedAndAfterwardsAllIsThere() {
    leaveAndComeBack();
  }

  @Test
  void eachSitesTaskIsAtItsOwnEnsembleAndGoesOnWhileAnothersIsAway() throws Exception {
    ZooKeeperDefinitions catalog = open(ZooKeeperAccess.to(servers() + "/placed"));
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
    assertThat(versions("/placed/cache/c")).containsExactly(0, Fence.NONE, Fence.NONE);
    fence.stopInstance(2);
    try {
      assertThat(get(catalog.tasks().ofSites(List.of("lyon", "oslo")))).containsOnlyKeys("lyon");
      assertThat(get(catalog.tasks().replace(beating.beating(Map.of())))).isTrue();
      assertThat(get(catalog.replace(FIRST.withIncarnation("ü", "0000000f")))).isTrue();
    } finally {
      fence.startInstance(2);
    }
  }

  /** The version that each ensemble has of a node. */
  private static List<Integer> versions(String path) {
    return List.of(0, 1, 2).stream().map(number -> fence.version(number, path)).toList();
  }

  @Test
  void theFlatteningReadsAsItWasWritten() {
    String rules = CatalogFlattening.rules("/a/b", "main", Map.of("ü = x", "far"));

    String read = FlatteningText.read(rules, List.of("far", "main", "other")).toString();

    assertThat(read).contains("/a/b 1,2\n", "/a/b/site 2\n", "/a/b/task/site%20%c3%bc%20%3d%20x 1");
  }
}
