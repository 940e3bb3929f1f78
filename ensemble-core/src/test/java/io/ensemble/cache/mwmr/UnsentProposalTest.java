package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.register.Ballot;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write is refused if certainly none of its proposals was sent; otherwise it is unknown. */
class UnsentProposalTest {

  private static final Bytes KEY = Bytes.of(new byte[] {1});

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final List<Store> stores = List.of(new Store("a"), new Store("b"), new Store("c"));
  private final MwmrEngine engine =
      MwmrEngine.open(
          new EngineContext(
              CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build(),
              new ArrayList<StoreHandle>(stores),
              Optional.empty(),
              scheduler,
              new HybridClock(scheduler::epochMicros),
              new WriterId(1, 2),
              CacheMetrics.NONE));

  @AfterEach
  void close() {
    engine.close();
  }

  private WriteOutcome<Void> write() {
    Deadline deadline = Deadline.after(Duration.ofMillis(300), scheduler);
    Payload value = new Payload(Bytes.of(new byte[] {7}), 0);
    CompletableFuture<WriteOutcome<Void>> written =
        engine.write(KEY, value, deadline).toCompletableFuture();
    scheduler.advance(Duration.ofMillis(301));
    return written.getNow(null);
  }

  @Test
  void aProposalThatWasSentNowhereIsRefused() {
    stores.forEach(store -> store.onContent = what -> failed(what, true));

    assertThat(write()).isInstanceOf(WriteOutcome.Refused.class);

    assertThat(stores).anyMatch(store -> store.promised > 0);
    assertThat(stores).allMatch(store -> store.contents > 0);
    stores.forEach(store -> store.onContent = null);
    CompletionStage<Optional<Payload>> read =
        engine.read(KEY, Deadline.after(Duration.ofSeconds(5), scheduler));
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(read).isCompletedWithValue(Optional.empty());
  }

  @Test
  void oneSiteThatMayHaveItMakesItUnknown() {
    stores.forEach(store -> store.onContent = what -> failed(what, true));
    stores.get(2).onContent = what -> failed(what, false);

    assertThat(write()).isInstanceOf(WriteOutcome.Unknown.class);
  }

  @Test
  void oneProposalThatGotThroughMakesItUnknown() {
    stores.forEach(store -> store.onContent = what -> failed(what, true));
    stores.get(0).onContent = null;

    assertThat(write()).isInstanceOf(WriteOutcome.Unknown.class);
  }

  private static CompletionStage<Boolean> failed(String site, boolean notSent) {
    return CompletableFuture.failedFuture(
        notSent
            ? SiteException.notSent(site, Reason.UNREACHABLE, "as the test requires it")
            : new SiteException(site, Reason.UNREACHABLE, "as the test requires it"));
  }

  private interface Answer {
    CompletionStage<Boolean> to(String site);
  }

  /** An in-memory store that answers writes of new contents as the test says. */
  private static final class Store implements SiteStore, StoreHandle {

    private final String site;
    private final Map<Bytes, StoredEntry> entries = new ConcurrentHashMap<>();
    private final AtomicLong versions = new AtomicLong(7);
    volatile Answer onContent;
    volatile int promised;
    volatile int contents;

    Store(String site) {
      this.site = site;
    }

    @Override
    public String site() {
      return site;
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.of(this);
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      return CompletableFuture.completedFuture(Optional.ofNullable(entries.get(key)));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return swap(key, null, value);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      return swap(key, version, value);
    }

    private synchronized CompletionStage<Boolean> swap(Bytes key, Long version, Bytes value) {
      StoredEntry now = entries.get(key);
      Ballot before = now == null ? Ballot.ZERO : CellCodec.decode(now.value()).accepted();
      boolean content = !CellCodec.decode(value).accepted().equals(before);
      Answer told = onContent;
      if (content) {
        contents++;
        if (told != null) {
          return told.to(site);
        }
      } else {
        promised++;
      }
      boolean met = now == null ? version == null : version != null && now.version() == version;
      if (met) {
        entries.put(key, new StoredEntry(value, versions.incrementAndGet()));
      }
      return CompletableFuture.completedFuture(met);
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Scan scan(int batchSize) {
      throw new UnsupportedOperationException();
    }
  }
}
