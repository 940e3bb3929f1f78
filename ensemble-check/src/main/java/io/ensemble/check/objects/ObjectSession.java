package io.ensemble.check.objects;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.workload.ObjectCall;
import io.ensemble.check.workload.ObjectUse;
import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.runtime.SessionDriver;
import io.ensemble.objects.sync.LeaseLostException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One client of atomic objects: one call after the other, each recorded with its outcome. Used by
 * one thread.
 */
final class ObjectSession {
  private static final int MOST_LAST_CALLS = 100_000;

  private final List<String> names;
  private final List<ObjectUse> uses;
  private final CallJournal journal;
  private final ClientOutcomeCounts tally;
  private long number;

  /**
   * @param names the names of the objects
   * @param uses the use of each object, in the same order
   */
  ObjectSession(
      List<String> names, List<ObjectUse> uses, CallJournal journal, ClientOutcomeCounts tally) {
    this.names = names;
    this.uses = uses;
    this.journal = journal;
    this.tally = tally;
    this.number = journal.newClient();
  }

  /** Makes any call on any object; sometimes a call that releases the grants held. */
  void callAny(SplittableRandom random, long fresh) {
    int index = random.nextInt(uses.size());
    if (random.nextBoolean()) {
      index = findHolder(index);
    }
    perform(names.get(index), uses.get(index), uses.get(index).next(random, fresh));
  }

  private int findHolder(int otherwise) {
    return IntStream.range(0, uses.size())
        .filter(index -> uses.get(index).holds())
        .findFirst()
        .orElse(otherwise);
  }

  /** Releases all grants held, because the process lives on and would keep them. */
  void releaseGrants(SplittableRandom random) {
    for (int index = findHolder(-1); index >= 0; index = findHolder(-1)) {
      perform(names.get(index), uses.get(index), uses.get(index).next(random, 0));
    }
  }

  /** Reads the final state of each object. */
  void readFinalStates() {
    for (int index = 0; index < uses.size(); index++) {
      ObjectUse use = uses.get(index);
      Object result = null;
      int calls = 0;
      do {
        result = perform(names.get(index), use, use.last());
      } while (use.hasMore(result) && ++calls < MOST_LAST_CALLS);
    }
  }

  private @Nullable Object perform(String name, ObjectUse use, ObjectCall call) {
    CallJournal.Call pending = journal.begin(number, name, call.op(), call.entry(), call.in());
    try {
      return recordResult(pending, use, call, call.ask().get());
    } catch (AtomicObjectException.CallRefused refused) {
      number = pending.refused();
      tally.refused();
      recordFailure(name, call, refused);
    } catch (AtomicObjectException.CallUnknown | LeaseLostException unknown) {
      number = pending.unknown();
      tally.unknown();
      recordFailure(name, call, unknown);
    } catch (RuntimeException none) {
      number = pending.unknown();
      tally.broken(call.op() + " on " + name + " ended with " + none);
    }
    return null;
  }

  /**
   * Reports an error that the objects themselves detected, because the history alone may not show
   * it.
   */
  private void recordFailure(String name, ObjectCall call, RuntimeException end) {
    if (String.valueOf(end.getMessage()).contains(SessionDriver.FAULT)) {
      tally.broken(call.op() + " on " + name + " ended with " + end);
    }
  }

  private @Nullable Object recordResult(
      CallJournal.Call pending, ObjectUse use, ObjectCall call, @Nullable Object result) {
    if (result == ObjectCall.MissingAnswer.REFUSED) {
      number = pending.refused();
      tally.refused();
      return null;
    }
    if (result == ObjectCall.MissingAnswer.UNKNOWN) {
      number = pending.unknown();
      tally.unknown();
      return null;
    }
    if (result instanceof ObjectCall.ArgumentAndResult more) {
      number = pending.ok(more.in(), more.result());
    } else {
      number = pending.ok(result);
      use.returned(call, result);
    }
    tally.completed();
    return result;
  }
}
