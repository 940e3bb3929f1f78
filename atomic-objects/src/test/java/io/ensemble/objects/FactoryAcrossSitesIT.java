package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.objects.store.CacheStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Factories at two sites of three, on an ensemble cache. */
@Timeout(120)
class FactoryAcrossSitesIT {

  private final CountDownLatch never = new CountDownLatch(1);
  private final HistoryRecorder recorder =
      HistoryRecorder.inMemory(System::nanoTime, 1_000_000);

  @Test
  void nothingIsLostWhileASiteIsDown(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<Counting> counting = new ArrayList<>();
      List<AtomicObjectFactory> factories = new ArrayList<>();
      for (EnsembleCache<String, byte[]> cache : sites.caches()) {
        AtomicObjectFactory factory = AtomicObjectFactory.on(new CacheStore(cache));
        factories.add(factory);
        counting.add(Counting.start(factory, recorder, 2));
      }

      pass(1_500);
      sites.site("c").kill();
      pass(2_500);
      for (Counting each : counting) {
        each.end();
      }
      factories.forEach(AtomicObjectFactory::close);

      try (AtomicObjectFactory after =
          AtomicObjectFactory.on(new CacheStore(sites.caches().get(1)))) {
        long seen = after.open(Counting.NAME, Counter.TYPE).get();
        Judged.linearizable(recorder.history(), seen);
      }
    }
  }

  private void pass(int millis) throws InterruptedException {
    assertThat(never.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }
}
