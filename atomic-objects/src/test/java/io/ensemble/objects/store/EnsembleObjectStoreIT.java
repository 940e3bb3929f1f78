package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

  /**
   * The servers execute a vote and the read behind it in order. Each replacement begins when the
   * one before completes, so no time is left to read the versions in between.
   */
  @Test
  void aLoopOfReplacementsTakesAboutOneRoundTripEach() {
    byte[] value = {0, 0};
    done(store().create("object/loop", value));
    Object token = done(store().read("object/loop")).orElseThrow().token();
    token = done(replaceInALoop(token, 50));
    double writesBefore = sites.writes().count();
    double tripsBefore = sites.writes().totalAmount();

    done(replaceInALoop(token, 200));

    double writes = sites.writes().count() - writesBefore;
    assertThat(writes).isGreaterThanOrEqualTo(200);
    assertThat((sites.writes().totalAmount() - tripsBefore) / writes).isLessThan(1.5);
  }

  private CompletionStage<Object> replaceInALoop(Object token, int times) {
    if (times == 0) {
      return CompletableFuture.completedFuture(token);
    }
    return store()
        .replace("object/loop", token, new byte[] {(byte) times, (byte) (times >> 8), 1})
        .thenCompose(replaced -> replaceInALoop(replaced.token().orElseThrow(), times - 1));
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
