package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A read of all sites, for the last write that any of them holds. */
class LatestEntryReadTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final WriterId WRITER = new WriterId(0, 1);

  private record Handle(SiteStore open) implements StoreHandle {

    @Override
    public String site() {
      return open.site();
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.of(open);
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(open);
    }
  }

  private final WeakManualScheduler scheduler = new WeakManualScheduler();
  private final List<FakeSiteMemory> sites =
      IntStream.range(0, 3).mapToObj(i -> new FakeSiteMemory("s" + i)).toList();

  private void store(int site, long micros) {
    Envelope entry = Envelope.of(new Stamp(micros, WRITER), Bytes.of((byte) micros), 0);
    sites.get(site).store(KEY, EnvelopeCodec.encode(entry));
  }

  /** The stamp's time; empty if no site has the key. */
  private Optional<Long> read() throws Throwable {
    EngineContext cache =
        new EngineContext(
            CacheDefinition.of("c", Mode.WEAK).sites("s0", "s1", "s2").build(),
            sites.stream()
                .<StoreHandle>map(site -> new Handle(new FakeStore(site, scheduler)))
                .toList(),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            WRITER,
            CacheMetrics.NONE);
    CompletableFuture<Optional<Envelope>> read =
        new LatestEntryRead(cache, stored -> stored)
            .run(KEY, Deadline.after(Duration.ofSeconds(1), scheduler))
            .toCompletableFuture();
    scheduler.run(Duration.ofSeconds(2));
    try {
      return read.getNow(Optional.empty()).map(entry -> entry.stamp().micros());
    } catch (RuntimeException failed) {
      throw CompletionCause.of(failed);
    }
  }

  private Throwable failure() {
    try {
      read();
      return new AssertionError("no failure");
    } catch (Throwable failed) {
      return failed;
    }
  }

  @Test
  void theLastWriteOfAllSitesIsReturned() throws Throwable {
    assertThat(read()).isEmpty();
    store(0, 5);
    store(1, 7);
    sites.get(2).store(KEY, Bytes.of((byte) 99)); // Malformed: older than every write.

    assertThat(read()).contains(7L);
  }

  @Test
  void aSiteThatIsAwayDoesNotHideWhatAnotherHolds() throws Throwable {
    store(0, 5);
    sites.get(1).mode = FakeSiteMemory.Mode.GONE;

    assertThat(read()).contains(5L);
  }

  /** Otherwise a key that only that site holds would be shown as removed. */
  @Test
  void aKeyIsAbsentOnlyIfAllSitesSaySo() {
    sites.get(1).mode = FakeSiteMemory.Mode.GONE;

    assertThat(failure()).isInstanceOf(QuorumUnavailableException.class).hasMessageContaining("s1");
  }
}
