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
 * One client: an operation after the other, each recorded with how it ended. When in doubt an
 * operation is unknown: only an outcome that says so counts as refused. One thread uses it.
 */
final class ClientSession {
  /** More than a client process may be stopped for, so that what is late is not taken for lost. */
  private static final Duration GRACE = Duration.ofSeconds(PausedProcess.LONGEST_SECONDS + 10L);

  private static final String ANSWERED = "answered";

  private final EntryCall.Views cache;
  private final HistoryRecorder recorder;
  private final ClientOutcomeCounts tally;
  private final Acknowledged acknowledged;
  private final Duration grace;
  private final long longestMillis;
  private long number;
  private String end = "";

  /**
   * @param acknowledged told of writes that were acknowledged and changed their keys
   * @param deadline how long an operation may take; one that has not ended by a while later is
   *     broken
   */
  ClientSession(
      EntryCall.Views cache,
      HistoryRecorder recorder,
      ClientOutcomeCounts tally,
      Acknowledged acknowledged,
      Duration deadline) {
    this(cache, recorder, tally, acknowledged, deadline, GRACE);
  }

  /**
   * @param grace how much later than its deadline an operation may end
   */
  ClientSession(
      EntryCall.Views cache,
      HistoryRecorder recorder,
      ClientOutcomeCounts tally,
      Acknowledged acknowledged,
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

  /** Told of a write that was acknowledged, by what names it in the history. */
  interface Acknowledged {
    void done(long client, long callNanos, String key, Stamp stamp);
  }

  /** What was there before, of the values that this client has met on each key. */
  static final class Guesses {
    private final long[] last;

    Guesses(int keys) {
      last = new long[keys];
    }
  }

  /**
   * Does any operation on any key.
   *
   * @param mayWrite false for one that only reads
   */
  void any(SplittableRandom random, Guesses guesses, long fresh, boolean mayWrite)
      throws InterruptedException {
    int key = random.nextInt(guesses.last.length);
    EntryCall call =
        mayWrite ? EntryCall.random(random, fresh, guesses.last[key]) : EntryCall.reading(random);
    Object result = perform("k" + key, call);
    if (result instanceof Long value) {
      guesses.last[key] = value;
    }
  }

  /** Whether the last operation had its answer. */
  boolean isAnswered() {
    return end.equals(ANSWERED);
  }

  /** How the last operation ended, for people. */
  String end() {
    return end;
  }

  /** Does it, and gives its result; null too when it was not applied. */
  @Nullable Object perform(String key, EntryCall call) throws InterruptedException {
    Pending pending = recorder.begin(number, key, call.op(), call.in());
    try {
      return ended(
          pending,
          key,
          call,
          call.ask()
              .of(cache, key)
              .toCompletableFuture()
              .get(longestMillis, TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      failed(pending, e.getCause());
    } catch (TimeoutException e) {
      broken(pending, call.op() + " has not ended " + grace + " after its deadline");
    } catch (RuntimeException e) {
      failed(pending, e);
    }
    return null;
  }

  private @Nullable Object ended(
      Pending pending, String key, EntryCall call, WriteOutcome<?> outcome) {
    if (outcome instanceof WriteOutcome.Applied<?> done) {
      if (done.wrote()) {
        acknowledged.done(number, pending.callNanos(), key, done.stamp());
      }
      number = pending.ok(done.result());
      tally.completed();
      end = ANSWERED;
      return done.result();
    }
    if (outcome instanceof WriteOutcome.Superseded<?>) {
      // The write was made and has lost. What a condition found is not told then.
      boolean blind = call.op().equals("write") || call.op().equals("delete");
      number = blind ? pending.ok(null) : pending.unknown();
      tally.completed();
      end = ANSWERED;
    } else if (outcome instanceof WriteOutcome.Refused<?>) {
      number = pending.failed();
      tally.refused();
      end = String.valueOf(outcome);
    } else {
      number = pending.unknown();
      tally.unknown();
      end = String.valueOf(outcome);
    }
    return null;
  }

  private void failed(Pending pending, @Nullable Throwable failure) {
    Throwable bare = failure;
    while (bare instanceof CompletionException && bare.getCause() != null) {
      bare = bare.getCause();
    }
    end = String.valueOf(bare);
    if (bare instanceof QuorumUnavailableException || bare instanceof WriterPresentException) {
      number = pending.failed();
      tally.refused();
    } else if (bare instanceof UnknownOutcomeException) {
      number = pending.unknown();
      tally.unknown();
    } else {
      broken(pending, String.valueOf(bare));
    }
  }

  private void broken(Pending pending, String why) {
    number = pending.unknown();
    end = why;
    tally.broken(why);
  }
}
