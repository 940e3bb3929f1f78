package io.ensemble.objects;

import io.ensemble.EnsembleCache;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Factories at two sites of three, on an ensemble cache. */
@Timeout(120)
class FactoryAcrossSitesIT {

  private static final int CALLS = 150;

  private final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000_000);

  @Test
  void nothingIsLostWhileASiteIsDown(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<CountingThreads> counting = new ArrayList<>();
      List<AtomicObjectFactory> factories = new ArrayList<>();
      for (EnsembleCache<String, byte[]> cache : sites.caches()) {
        AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(cache));
        factories.add(factory);
        counting.add(CountingThreads.start(factory, recorder, 2));
      }

      counting.forEach(each -> each.awaitCalls(CALLS));
      sites.site("rome").kill();
      counting.forEach(each -> each.awaitCalls(CALLS));
      for (CountingThreads each : counting) {
        each.end();
      }
      factories.forEach(AtomicObjectFactory::close);

      try (AtomicObjectFactory after =
          AtomicObjectFactory.on(new EnsembleObjectStore(sites.caches().get(1)))) {
        long seen = after.open(CountingThreads.NAME, Counter.TYPE).get();
        CounterHistoryChecker.linearizable(recorder.history(), seen, FactoryAcrossSitesIT.class);
      }
    }
  }
}
