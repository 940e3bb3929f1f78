package io.ensemble.check.registers;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.check.faults.PausedProcess;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One client: one operation after the other, each recorded with its outcome. In case of doubt an
 * outcome is unknown: an operation counts as refused only if its outcome certainly means that. Used
 * by one thread.
 */
final class ClientSession {
  /**
   * More than the longest pause of a client process, so that a late operation does not count as
   * lost.
   */
  private static final Duration GRACE = Duration.ofSeconds(PausedProcess.LONGEST_SECONDS + 10L);

  private static final String ANSWERED = "answered";

  private final EntryCall.CacheViews cache;
  private final HistoryRecorder recorder;
  private final ClientOutcomeCounts tally;
  private final AcknowledgementListener acknowledged;
  private final Duration grace;
  private final long longestMillis;
  private long number;
  private long nearStalenessNanos;
  private String lastOutcome = "";

  /**
   * @param acknowledged receives writes that were acknowledged and changed their keys
   * @param deadline the deadline of an operation; an operation that has not ended some time later
   *     is broken
   */
  ClientSession(
      EntryCall.CacheViews cache,
      HistoryRecorder recorder,
      ClientOutcomeCounts tally,
      AcknowledgementListener acknowledged,
      Duration deadline) {
    this(cache, recorder, tally, acknowledged, deadline, GRACE);
  }

  /**
   * @param grace the time after its deadline within which an operation must end
   */
  ClientSession(
      EntryCall.CacheViews cache,
      HistoryRecorder recorder,
      ClientOutcomeCounts tally,
      AcknowledgementListener acknowledged,
      Duration deadline,
      Duration grace) {
    this.cache = cache;
    this.recorder = recorder;
    this.tally = tally;
    this.acknowledged = acknowledged;
    this.grace = grace;
    this.longestMillis = deadline.plus(grace).toMillis();
    this.number = recorder.newClient();
  }

  /** From now on the cache is a near cache of this staleness. */
  void readsNear(long stalenessNanos) {
    nearStalenessNanos = stalenessNanos;
  }

  /** Receives acknowledged writes, with their identity in the history. */
  interface AcknowledgementListener {
    void onAcknowledged(long client, long callNanos, String key, Stamp stamp);
  }

  /** The former values among those that this client has seen on each key. */
  static final class LastValues {
    private final long[] last;

    LastValues(int keys) {
      last = new long[keys];
    }
  }

  /**
   * Runs a random operation on a random key.
   *
   * @param mayWrite false for a client that only reads
   */
  void performRandom(SplittableRandom random, LastValues guesses, long fresh, boolean mayWrite)
      throws InterruptedException {
    int key = random.nextInt(guesses.last.length);
    EntryCall call = choose(random, fresh, guesses.last[key], mayWrite);
    Object result = perform("k" + key, call);
    if (result instanceof Long value) {
      guesses.last[key] = value;
    }
  }

  /** Clients of a near cache read more often. */
  private EntryCall choose(SplittableRandom random, long fresh, long guess, boolean mayWrite) {
    if (nearStalenessNanos == 0) {
      return mayWrite ? EntryCall.random(random, fresh, guess) : EntryCall.reading(random);
    }
    if (!mayWrite || random.nextBoolean()) {
      return EntryCall.nearRead(nearStalenessNanos);
    }
    EntryCall call = EntryCall.random(random, fresh, guess);
    return call.isReading() ? EntryCall.nearRead(nearStalenessNanos) : call;
  }

  /** Whether the last operation had an answer. */
  boolean isAnswered() {
    return lastOutcome.equals(ANSWERED);
  }

  /** The outcome of the last operation, for people. */
  String lastOutcome() {
    return lastOutcome;
  }

  /** Runs the operation and returns its result; null also if it was not applied. */
  @Nullable Object perform(String key, EntryCall call) throws InterruptedException {
    Pending pending = recorder.begin(number, key, call.op(), call.in());
    try {
      return recordOutcome(
          pending,
          key,
          call,
          call.ask()
              .of(cache, key)
              .toCompletableFuture()
              .get(longestMillis, TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      recordFailure(pending, e.getCause());
    } catch (TimeoutException e) {
      recordBroken(pending, call.op() + " has not ended " + grace + " after its deadline");
    } catch (RuntimeException e) {
      recordFailure(pending, e);
    }
    return null;
  }

  private @Nullable Object recordOutcome(
      Pending pending, String key, EntryCall call, WriteOutcome<?> outcome) {
    if (outcome instanceof WriteOutcome.Applied<?> done) {
      if (done.wrote()) {
        acknowledged.onAcknowledged(number, pending.callNanos(), key, done.stamp());
      }
      number = pending.ok(done.result());
      tally.completed();
      lastOutcome = ANSWERED;
      return done.result();
    }
    if (outcome instanceof WriteOutcome.Superseded<?>) {
      // The write was made and was superseded. In that case the result of a condition is not
      // reported.
      boolean blind = call.op().equals("write") || call.op().equals("delete");
      number = blind ? pending.ok(null) : pending.unknown();
      tally.completed();
      lastOutcome = ANSWERED;
    } else if (outcome instanceof WriteOutcome.Refused<?>) {
      number = pending.failed();
      tally.refused();
      lastOutcome = String.valueOf(outcome);
    } else {
      number = pending.unknown();
      tally.unknown();
      lastOutcome = String.valueOf(outcome);
    }
    return null;
  }

  private void recordFailure(Pending pending, @Nullable Throwable failure) {
    Throwable bare = failure;
    while (bare instanceof CompletionException && bare.getCause() != null) {
      bare = bare.getCause();
    }
    lastOutcome = String.valueOf(bare);
    if (bare instanceof QuorumUnavailableException || bare instanceof WriterPresentException) {
      number = pending.failed();
      tally.refused();
    } else if (bare instanceof UnknownOutcomeException) {
      number = pending.unknown();
      tally.unknown();
    } else {
      recordBroken(pending, String.valueOf(bare));
    }
  }

  private void recordBroken(Pending pending, String why) {
    number = pending.unknown();
    lastOutcome = why;
    tally.broken(why);
  }
}
