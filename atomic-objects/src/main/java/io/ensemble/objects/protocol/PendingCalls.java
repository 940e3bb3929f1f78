package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.CallOutcome;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The calls of this session: those that wait, and the batch in progress. */
final class PendingCalls {

  private record Waiting(long id, ByteString call) {}

  /** The batch in progress, the ids of its calls, and whether another session may have it. */
  static final class Own {
    final CallBatch batch;
    final List<Long> ids;
    boolean sent;
    boolean posted;

    /** Whether no session read this batch in its mailbox until its patience ended. */
    boolean isOverlooked;

    /** How many looks have followed the post, up to {@link ParallelLooks#DENSE_LOOKS}. */
    int denseLooks;

    /** Until this time the batch is left to a combiner, if there is one. */
    long patienceEnds;

    /** Until this time the batch is left to the next winner, if no session combines. */
    long helpBy;

    Own(CallBatch batch, List<Long> ids) {
      this.batch = batch;
      this.ids = ids;
    }
  }

  private final UUID session;
  private final ProtocolSettings protocolSettings;
  private final Deque<Waiting> queue = new ArrayDeque<>();
  private @Nullable Own own;
  private long number;
  private int expected;
  private long gatheredAt = Long.MIN_VALUE;

  PendingCalls(UUID session, ProtocolSettings protocolSettings) {
    this.session = session;
    this.protocolSettings = protocolSettings;
  }

  /** False if too many calls wait already. */
  boolean add(long id, ByteString call) {
    return queue.size() < protocolSettings.queued() && queue.add(new Waiting(id, call));
  }

  /** Withdraws a call that is not in progress; false if it is in progress, or has ended. */
  boolean takeBack(long id) {
    return queue.removeIf(w -> w.id == id);
  }

  boolean isEmpty() {
    return own == null && queue.isEmpty();
  }

  /**
   * Returns the batch in progress, or else a new one of waiting calls. Null if no call waits, or if
   * callers that just got their answers may call again soon. Waiting for them lets one batch
   * contain all calls; otherwise one half of the calls would always wait while the other half is in
   * progress.
   */
  @Nullable Own next(ObjectRoot root, long now) {
    boolean gathered = queue.size() >= expected || now >= gatheredAt;
    if (own == null && !queue.isEmpty() && gathered) {
      List<Long> ids = new ArrayList<>();
      List<ByteString> calls = new ArrayList<>();
      long bytes = 0;
      while (!queue.isEmpty() && ids.size() < protocolSettings.batchCalls()) {
        bytes += queue.getFirst().call.size();
        if (bytes > protocolSettings.callBytes() && !ids.isEmpty()) {
          break;
        }
        Waiting first = queue.removeFirst();
        ids.add(first.id);
        calls.add(first.call);
      }
      own = new Own(new CallBatch(root.birth(), session, ++number, root.sequence(), calls), ids);
      if (root.standing(own.batch) != ObjectRoot.Standing.NEW) {
        throw new AssertionError("the root contains a batch that its session has not started");
      }
    }
    return own;
  }

  @Nullable Own own() {
    return own;
  }

  /** The batch in progress was posted, and is left to other sessions until these times. */
  void posted(long patienceEnds, long helpBy) {
    if (own != null) {
      own.posted = true;
      own.patienceEnds = patienceEnds;
      own.helpBy = helpBy;
    }
  }

  /**
   * Steps of other sessions have come first many times. If the batch in progress was posted, and
   * its patience has ended, it is posted again, in the shared mailbox: the combiner for which it
   * was meant may have resigned, and another session may have replaced the batch.
   */
  void overlooked() {
    if (own != null && own.posted) {
      own.posted = false;
      own.isOverlooked = true;
    }
  }

  /** The time at which waiting calls become a batch, even if more calls are expected. */
  long gatheredAt() {
    return gatheredAt;
  }

  /**
   * Ends the batch in progress if the root shows its outcome.
   *
   * @param gathering how long its callers may take to call again
   * @return whether the batch has been applied
   */
  boolean settle(ObjectRoot root, long now, long gathering, List<ProtocolEffect> effects) {
    Own settled = own;
    if (settled == null) {
      return false;
    }
    ObjectRoot.Standing standing = root.standing(settled.batch);
    if (standing == ObjectRoot.Standing.APPLIED) {
      expected = Math.min(protocolSettings.batchCalls(), queue.size() + settled.ids.size());
      gatheredAt = now + gathering;
      SessionEntry member = root.member(session).orElseThrow();
      List<CallOutcome> outcomes = member.outcomes();
      if (member.number() != settled.batch.number() || outcomes.size() != settled.ids.size()) {
        throw new AssertionError("the batches of a session must end in order");
      }
      endOwn(effects, i -> new CallResult.Answered(outcomes.get((int) i)));
    } else if (standing == ObjectRoot.Standing.FORGOTTEN && !settled.sent) {
      rebase(settled, root);
    } else if (standing == ObjectRoot.Standing.FORGOTTEN) {
      String why = "the outcome record of this session was evicted by other sessions";
      endOwn(effects, i -> new CallResult.Unknown(why));
    }
    return standing == ObjectRoot.Standing.APPLIED;
  }

  /**
   * Replaces the batch in progress by one that is based on a later root. No store and no other
   * session has the former one, so no step can contain it.
   */
  private void rebase(Own unsent, ObjectRoot root) {
    CallBatch former = unsent.batch;
    own =
        new Own(
            new CallBatch(root.birth(), session, former.number(), root.sequence(), former.calls()),
            unsent.ids);
  }

  /** Ends the batch in progress. */
  private void endOwn(List<ProtocolEffect> effects, LongFunction<CallResult> verdictOfCall) {
    Own ended = own;
    own = null;
    if (ended != null) {
      for (int i = 0; i < ended.ids.size(); i++) {
        effects.add(new ProtocolEffect.Settle(ended.ids.get(i), verdictOfCall.apply(i)));
      }
    }
  }

  /**
   * Ends all calls: those that other sessions may have applied as unknown, the rest by {@code
   * callResult}.
   *
   * @param last the last root, if one was read
   */
  void endAll(List<ProtocolEffect> effects, CallResult callResult, @Nullable ObjectRoot last) {
    if (own != null) {
      boolean cannot =
          !own.sent || last != null && last.isDisposed() && last.cannotHaveSeen(own.batch);
      String why = "the object was disposed of during the call";
      CallResult ofOwn = cannot ? callResult : new CallResult.Unknown(why);
      endOwn(effects, i -> ofOwn);
    }
    for (Waiting waiting : queue) {
      effects.add(new ProtocolEffect.Settle(waiting.id, callResult));
    }
    queue.clear();
  }
}
