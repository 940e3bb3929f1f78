package io.ensemble.catalog.definition;

import io.ensemble.catalog.CatalogFlattening;
import io.ensemble.catalog.FencedCatalogIT;
import io.ensemble.catalog.FencedZooKeepers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole contract of catalogs; {@link FencedCatalogIT} is the short form in the gate.
 *
 * <p>Catalogs in three ZooKeepers that are served as one. Every second catalog has each site's
 * records at the site's ensemble; the others have all records at all ensembles.
 */
@Tag("nightly")
public class FencedDefinitionsIT extends ZooKeeperDefinitionsTest {

  private static final int CATALOGS = 60;
  private static final Map<String, String> SITES = Map.of("lyon", "2", "oslo", "3");

  @TempDir static Path directory;

  private static FencedZooKeepers fencedZooKeepers;

  @BeforeAll
  static void start() throws Exception {
    StringBuilder rules = new StringBuilder(CatalogFlattening.rules("/placed", "1", SITES));
    for (int i = 0; i < CATALOGS; i += 2) {
      rules.append(CatalogFlattening.rules("/catalogs/" + i, "1", SITES));
    }
    fencedZooKeepers = new FencedZooKeepers(directory, rules.toString(), Duration.ofSeconds(2));
    fencedZooKeepers.stopProxy(1);
  }

  @AfterAll
  static void stop() {
    fencedZooKeepers.close();
  }

  @Override
  String servers() {
    return fencedZooKeepers.address(0);
  }

  @Override
  void leave() {
    fencedZooKeepers.stopProxy(0);
  }

  @Override
  void comeBack() {
    try {
      fencedZooKeepers.startProxy(0);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The gate runs the same test with one ZooKeeper. */
  @Test
  @Tag("deep")
  void whileNoProxyIsThereNothingCountsAsDeletedAndAfterwardsAllIsThere() {
    leaveAndComeBack();
  }
}
