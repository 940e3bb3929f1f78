package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When the primary is moved, over sites that answer reads after as long as they are told. */
class PrimaryWatchTest {

  private static final Leases LEASES = new Leases(300_000_000, 10_000_000);
  private static final WriterId SELF = new WriterId(1, 2);
  private static final Bytes KEY = Bytes.of((byte) 7);
  private static final long NEVER = Long.MAX_VALUE;
  private static final long MILLI = 1_000_000;

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final Map<String, Long> delays = new HashMap<>();
  private boolean busy;
  private int asked;
  private final OpenCache cache =
      new OpenCache(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b", "c").build(),
          Stream.of("a", "b", "c").<StoreHandle>map(Handle::new).toList(),
          Optional.empty(),
          scheduler,
          new HybridClock(scheduler::epochMicros),
          SELF,
          CacheMetrics.NONE);
  private final Terms terms = new Terms(new Register(), Keys.RECORD, cache, LEASES);
  private final PrimaryWatch watch = new PrimaryWatch(cache, terms, LEASES);

  PrimaryWatchTest() {
    List.of("a", "b", "c").forEach(site -> delays.put(site, MILLI));
    terms.look();
  }

  private final class Handle implements StoreHandle {
    private final String site;

    Handle(String site) {
      this.site = site;
    }

    @Override
    public String site() {
      return site;
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(
          (SiteStore)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {SiteStore.class},
                  (proxy, method, given) -> read((Deadline) given[1])));
    }

    private CompletionStage<Optional<StoredEntry>> read(Deadline deadline) {
      CompletableFuture<Optional<StoredEntry>> answer = new CompletableFuture<>();
      if (site.equals("a")) {
        asked++;
      }
      if (busy && site.equals("a")) {
        answer.completeExceptionally(SiteException.notSent(site, Reason.BUSY, "full"));
        return answer;
      }
      long delay = delays.get(site);
      long left = deadline.remainingNanos(scheduler);
      scheduler.after(
          Math.min(delay, left),
          () -> {
            if (delay <= left) {
              answer.complete(Optional.empty());
            } else {
              answer.completeExceptionally(new SiteException(site, Reason.TIMED_OUT, "slow"));
            }
          });
      return answer;
    }
  }

  /** Answers at once. */
  private static final class Register implements CacheEngine {
    private @Nullable Payload present = TermCodec.encode(Term.first("a", SELF));

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      return CompletableFuture.completedFuture(Optional.ofNullable(present));
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
      throw new AssertionError("the record is changed by updates alone");
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      Decision<Payload, R> decision = update.decide(present);
      if (decision.writes()) {
        present = decision.value();
      }
      return CompletableFuture.completedFuture(
          new WriteOutcome.Applied<>(decision.result(), Stamp.NONE, decision.writes()));
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new AssertionError("the record is one key");
    }

    @Override
    public void close() {}
  }

  private String primary() {
    return terms.last().orElseThrow().term().primary();
  }

  private void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // Time passes from task to task.
    scheduler.run(Duration.ofNanos(nanos), 100_000);
  }

  /** What a reader learns whose call waited ten milliseconds. */
  private void impatientReaders(long nanos) {
    Term term = terms.last().orElseThrow().term();
    for (long passed = 0; passed < nanos; passed += 10 * MILLI) {
      pass(10 * MILLI);
      watch.heard(term, false, KEY);
    }
  }

  @Test
  void readersThatWaitTooShortDoNotMoveAPrimaryThatAnswers() {
    delays.put("a", 15 * MILLI);

    impatientReaders(20 * LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
    assertThat(asked).as("probes are spaced").isBetween(2, 61);
  }

  @Test
  void aPrimaryThatIsSilentForALeaseIsMovedThoughOnlyOneCallMissedIt() {
    delays.put("a", NEVER);
    delays.put("b", 5 * MILLI);

    watch.heard(terms.last().orElseThrow().term(), false, KEY);
    pass(LEASES.leaseNanos() - 1);
    assertThat(primary()).isEqualTo("a");
    pass(LEASES.leaseNanos() + LEASES.renewalNanos());

    assertThat(primary()).isEqualTo("c");
  }

  @Test
  void whatIsNotSentForWantOfRoomHereDoesNotMoveThePrimary() {
    busy = true;

    impatientReaders(10 * LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
    assertThat(asked).isGreaterThan(2);
  }

  @Test
  void twoFailuresFarApartAreNoSilence() {
    Term term = terms.last().orElseThrow().term();
    delays.put("a", NEVER);
    watch.heard(term, false, KEY);
    pass(LEASES.renewalNanos());
    delays.put("a", MILLI);
    pass(10 * LEASES.leaseNanos());

    delays.put("a", NEVER);
    watch.heard(term, false, KEY);
    pass(LEASES.renewalNanos());
    delays.put("a", MILLI);
    pass(LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
  }
}
