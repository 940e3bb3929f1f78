package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three sites of one node each, and stores at two of them. */
class EnsembleObjectStoreIT extends ObjectStoreContract {

  @TempDir private static Path catalog;
  private static ThreeSites sites;
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    sites = ThreeSites.shared(catalog);
    stores = sites.caches().stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }

  @Override
  boolean hasEvents() {
    return false;
  }

  @Test
  void whatTheCacheRefusesFailsTheStage() {
    byte[] large = new byte[9 << 20];

    assertThatThrownBy(() -> done(store().put("object/large", large)))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8388608");
    assertThat(done(store().read("object/large"))).isEmpty();
  }
}
