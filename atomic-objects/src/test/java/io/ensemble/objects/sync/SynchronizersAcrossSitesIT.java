package io.ensemble.objects.sync;

import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process at each of two sites of three, on an ensemble cache. */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SynchronizersAcrossSitesIT extends SynchronizersContract {

  @TempDir private static Path catalog;
  private static ThreeSites sites;

  @BeforeAll
  static void start() {
    sites = ThreeSites.start(catalog);
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  @Override
  List<ObjectStore> stores() {
    return sites.caches().stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
  }

  /** The site of the first process is cut off. The killed one loses its data, so this runs last. */
  @Test
  @Order(Integer.MAX_VALUE)
  void allHoldWhileASiteIsCutOffAndAnotherOneDies() throws Exception {
    playAmong(
        ROUNDS,
        sites.site("lyon")::cut,
        sites.site("lyon")::resume,
        () -> sites.site("rome").kill());
  }

  @Tag("deep")
  @RepeatedTest(2)
  @Timeout(400)
  void allHoldWhileOneSiteAfterTheOtherIsCutOffOrHangs() throws Exception {
    List<Runnable> harms = new ArrayList<>();
    for (String name : List.of("lyon", "oslo", "rome")) {
      EmbeddedSite site = sites.site(name);
      harms.addAll(List.of(site::cut, site::resume, site::hang, site::resume));
    }
    playAmong(MANY_ROUNDS, harms.toArray(Runnable[]::new));
  }
}
