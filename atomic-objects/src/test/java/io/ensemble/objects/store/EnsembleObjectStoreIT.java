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

  /** The servers execute a vote and the read behind it in order. */
  @Test
  void aLoopOfReplacementsTakesAboutOneRoundTripEach() {
    byte[] value = {0, 0};
    done(store().create("object/loop", value));
    Object token = done(store().read("object/loop")).orElseThrow().token();
    double writesBefore = 0;
    double tripsBefore = 0;
    for (int i = 1; i <= 250; i++) {
      if (i == 50) {
        writesBefore = sites.writes().count();
        tripsBefore = sites.writes().totalAmount();
      }
      ObjectStore.Replaced replaced =
          done(store().replace("object/loop", token, new byte[] {(byte) i, 1}));
      assertThat(replaced.done()).isTrue();
      token = replaced.token().orElseThrow();
    }

    double writes = sites.writes().count() - writesBefore;
    assertThat(writes).isGreaterThanOrEqualTo(200);
    assertThat((sites.writes().totalAmount() - tripsBefore) / writes).isLessThan(1.5);
  }

  @Test
  void aReplacementThatFailsReportsTheEntryThatItFound() {
    done(store().create("object/found", new byte[] {1}));
    Object token = done(store().read("object/found")).orElseThrow().token();
    ObjectStore other = stores().get(1);
    assertThat(done(other.replace("object/found", token, new byte[] {2})).done()).isTrue();

    ObjectStore.Replaced failed = done(store().replace("object/found", token, new byte[] {3}));

    assertThat(failed.done()).isFalse();
    ObjectStore.Entry found = failed.found().orElseThrow();
    assertThat(found.value()).containsExactly(2);
    assertThat(done(store().replace("object/found", found.token(), new byte[] {3})).done())
        .isTrue();
    assertThat(done(store().replace("object/absent", token, new byte[] {3})).found()).isEmpty();
  }
}
