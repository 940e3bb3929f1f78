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
 * Takes keys over: reads one in the former configuration, and has its register decide. Whoever does
 * so again, or late, finds that it is done.
 *
 * <p>What may go wrong is a key that was removed since and forgotten: it would come back. Removed
 * keys are remembered for a minute at the least, and none is forgotten before a minute after the
 * last process that sweeps has seen the end of all this. So a takeover takes {@link #LONGEST} at
 * most, and begins only while what was read of the record, {@link #SEEN_WITHIN} ago at most, says
 * that keys are taken over: together much less. Thread-safe.
 */
public final class KeyMigrator {

  /** How old the record may be that a takeover relies on. */
  public static final Duration SEEN_WITHIN = ChangeRules.SEEN_WITHIN;

  public static final Duration LONGEST = Duration.ofSeconds(20);

  /** How many keys are known to be taken over, the others are asked for again. */
  private static final int MOST_KNOWN = 65_536;

  /** What reads a key in the former configuration, which has ended. */
  @FunctionalInterface
  public interface Former {

    /** The live value there; fails when too few sites answer. */
    CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);
  }

  private final MwmrEngine registers;
  private final Former former;
  private final Supplier<CompletionStage<Boolean>> isJoint;
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
   * @param registers the new configuration's
   * @param isJoint whether a record that was asked for lately says that keys are taken over
   */
  public KeyMigrator(
      MwmrEngine registers,
      Former former,
      Supplier<CompletionStage<Boolean>> isJoint,
      Scheduler scheduler) {
    this.registers = registers;
    this.former = former;
    this.isJoint = isJoint;
    this.scheduler = scheduler;
  }

  /** Whether the key is known to be taken over. */
  public synchronized boolean knows(Bytes key) {
    return known.get(key) != null;
  }

  /**
   * Takes the key over unless somebody has. True when it is done; false when keys are not taken
   * over any more, for all were. Fails when too few sites answer; then it may be tried again.
   */
  public CompletionStage<Boolean> take(Bytes key, Deadline deadline) {
    Deadline limit = limit(deadline);
    return whileJoint(
        () ->
            registers
                .isTaken(key, limit)
                .thenCompose(
                    taken -> taken ? CompletableFuture.completedFuture(null) : decide(key, limit))
                .thenRun(() -> learn(key)));
  }

  /** As {@link #take}, of a key that probably nobody has taken over: it is not asked for first. */
  public CompletionStage<Boolean> takeUnasked(Bytes key, Deadline deadline) {
    Deadline limit = limit(deadline);
    return whileJoint(() -> decide(key, limit));
  }

  private CompletionStage<Boolean> whileJoint(Supplier<CompletionStage<Void>> takeover) {
    return isJoint
        .get()
        .thenCompose(
            yes ->
                yes
                    ? takeover.get().thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  private CompletionStage<Void> decide(Bytes key, Deadline limit) {
    return former
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

  /** No key needs be known any more, for all are taken over. */
  synchronized void forget() {
    known.clear();
  }

  private synchronized void learn(Bytes key) {
    known.put(key, true);
  }
}
