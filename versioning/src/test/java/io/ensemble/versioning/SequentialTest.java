package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.MuteStore;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.order.Timestamps;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads that may be somewhat old. */
class SequentialTest {

  private final MemoryStore memory = new MemoryStore(1);
  private final AtomicInteger read = new AtomicInteger();
  private final ObjectStore store =
      new MuteStore(memory) {
        @Override
        public CompletionStage<Optional<Entry>> read(String key) {
          read.incrementAndGet();
          return super.read(key);
        }
      };
  private final AtomicObjectFactory factory = AtomicObjectFactory.on(store);
  private final AtomicObjectFactory elsewhere = AtomicObjectFactory.on(memory);

  @AfterEach
  void close() {
    factory.close();
    elsewhere.close();
    memory.close();
  }

  private static VersionedCache<String, String, Long> cache(AtomicObjectFactory factory) {
    return VersionedCache.builder(factory, "pages", Form.TEXT, Form.TEXT, new Timestamps(() -> 0))
        .open();
  }

  @Test
  void theyCostNothingWhileNothingChanges() {
    VersionedCache<String, String, Long> cache = cache(factory);
    cache.add("home", "a");
    VersionedReads<String, String, Long> reads = cache.sequential();
    reads.latest("home");
    int before = read.get();

    for (int i = 0; i < 20; i++) {
      assertThat(reads.latest("home").orElseThrow().value()).contains("a");
    }

    assertThat(read.get() - before).isLessThan(10); // Those of now cost 20.
  }

  @Test
  void theyHoldOnesOwnVersionsAndNeverGoBack() throws Exception {
    VersionedCache<String, String, Long> cache = cache(factory);
    VersionedCache<String, String, Long> other = cache(elsewhere);
    VersionedReads<String, String, Long> reads = cache.sequential();
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              while (!stop.get()) {
                other.add("home", "theirs");
              }
            });
    writer.start();

    long last = 0;
    for (int i = 0; i < 300; i++) {
      if (i % 10 == 0) {
        last = Math.max(last, cache.add("home", "ours"));
      }
      long seen = reads.latest("home").orElseThrow().version();
      assertThat(seen).isGreaterThanOrEqualTo(last);
      last = seen;
    }
    stop.set(true);
    writer.join();
  }

  @Test
  void ofAKeyWithoutVersionsThereIsNothing() {
    VersionedReads<String, String, Long> reads = cache(factory).sequential();

    assertThat(reads.latest("nowhere")).isEmpty();
    cache(elsewhere).add("nowhere", "x");
    assertThat(reads.latest("nowhere")).isPresent();
  }
}
