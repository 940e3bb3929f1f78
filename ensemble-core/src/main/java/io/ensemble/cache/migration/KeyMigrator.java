package io.ensemble.cache.migration;

import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.KeyMigrationRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Takes keys over: reads a key in the former configuration, and has its register decide. A repeated
 * or late takeover finds that the key is already taken over.
 *
 * <p>The danger is a key that was removed since and whose tombstone is gone: a late takeover would
 * bring the key back. Tombstones last for a minute at least, and none is removed before a minute
 * after the last sweeping process has seen the end of the migration. A takeover therefore takes
 * {@link #LONGEST} at most. A takeover begins only while the record, read {@link #SEEN_WITHIN} ago
 * at most, says that keys are taken over. Together this is much less than a minute. Thread-safe.
 */
public final class KeyMigrator {

  /** How old the record may be that a takeover relies on. */
  public static final Duration SEEN_WITHIN = ChangeRules.SEEN_WITHIN;

  public static final Duration LONGEST = Duration.ofSeconds(20);

  /** How many keys are remembered as taken over; for other keys the register is asked again. */
  private static final int MOST_KNOWN = 65_536;

  /** Reads a key in the former configuration, which has ended. */
  @FunctionalInterface
  public interface FormerReader {

    /** The live value there; fails when too few sites answer. */
    CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);
  }

  private final MwmrEngine registers;
  private final FormerReader formerReader;
  private final Supplier<CompletionStage<Boolean>> isInCutover;
  private final Scheduler scheduler;
  private final Map<Bytes, Boolean> known = // this object's lock
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Bytes, Boolean> eldest) {
          return size() > MOST_KNOWN;
        }
      };

  /**
   * @param registers those of the new configuration
   * @param isInCutover whether a recently read record says that keys are taken over
   */
  public KeyMigrator(
      MwmrEngine registers,
      FormerReader formerReader,
      Supplier<CompletionStage<Boolean>> isInCutover,
      Scheduler scheduler) {
    this.registers = registers;
    this.formerReader = formerReader;
    this.isInCutover = isInCutover;
    this.scheduler = scheduler;
  }

  /** Whether the key is known to be taken over. */
  public synchronized boolean knows(Bytes key) {
    return known.get(key) != null;
  }

  /**
   * Takes the key over unless another call has done so. True when the key is taken over; false when
   * takeovers have ended because all keys are taken over. Fails when too few sites answer; a retry
   * is then safe.
   */
  public CompletionStage<Boolean> take(Bytes key, Deadline deadline) {
    Deadline limit = limit(deadline);
    return whileInCutover(
        () ->
            registers
                .isTaken(key, limit)
                .thenCompose(
                    taken -> taken ? CompletableFuture.completedFuture(null) : decide(key, limit))
                .thenRun(() -> learn(key)));
  }

  /**
   * As {@link #take}, for a key that probably is not taken over: its register is not asked first.
   */
  public CompletionStage<Boolean> takeUnasked(Bytes key, Deadline deadline) {
    Deadline limit = limit(deadline);
    return whileInCutover(() -> decide(key, limit));
  }

  private CompletionStage<Boolean> whileInCutover(Supplier<CompletionStage<Void>> takeover) {
    return isInCutover
        .get()
        .thenCompose(
            yes ->
                yes
                    ? takeover.get().thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  private CompletionStage<Void> decide(Bytes key, Deadline limit) {
    return formerReader
        .read(key, limit)
        .thenCompose(
            value ->
                registers.takeOver(
                    key, KeyMigrationRules.STANDARD.takeover(value.orElse(null)), limit));
  }

  private Deadline limit(Deadline deadline) {
    Deadline longest = Deadline.after(LONGEST, scheduler);
    return deadline.atNanos() - longest.atNanos() > 0 ? longest : deadline;
  }

  /** Clears the remembered keys, because all keys are taken over. */
  synchronized void forget() {
    known.clear();
  }

  private synchronized void learn(Bytes key) {
    known.put(key, true);
  }
}
