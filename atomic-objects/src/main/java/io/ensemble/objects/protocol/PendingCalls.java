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

/** The calls of this session: those that wait, and the batch that is under way. */
final class PendingCalls {

  private record Waiting(long id, ByteString call) {}

  /** A batch under way, whose calls they are, and whether anybody but this session may have it. */
  static final class Own {
    final CallBatch batch;
    final List<Long> ids;
    boolean sent;
    boolean posted;

    /** Until when it is left to a combiner, if there is one. */
    long patienceEnds;

    /** Until when it is left to whoever wins, if nobody combines. */
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

  /** False if too many wait already. */
  boolean add(long id, ByteString call) {
    return queue.size() < protocolSettings.queued() && queue.add(new Waiting(id, call));
  }

  /** Takes a call back that is not under way; false if it is, or has ended. */
  boolean takeBack(long id) {
    return queue.removeIf(w -> w.id == id);
  }

  boolean isEmpty() {
    return own == null && queue.isEmpty();
  }

  /**
   * The batch under way; if there is none, one of the calls that wait. Null if none does, or those
   * that were just answered may come again, so that one batch takes all: else half of them would
   * always wait while the other half is under way.
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
        throw new AssertionError("a root holds a batch that its session has not begun");
      }
    }
    return own;
  }

  @Nullable Own own() {
    return own;
  }

  /** The batch under way is where others find it, and is left to them for a while. */
  void posted(long patienceEnds, long helpBy) {
    if (own != null) {
      own.posted = true;
      own.patienceEnds = patienceEnds;
      own.helpBy = helpBy;
    }
  }

  /** When calls that wait become a batch, whoever else may come. */
  long gatheredAt() {
    return gatheredAt;
  }

  /**
   * Ends the batch under way if the root tells how.
   *
   * @param gathering for how long its callers may take to call again
   * @return whether it has been applied
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
        throw new AssertionError("a session's batches end in their order");
      }
      endOwn(effects, i -> new CallResult.Answered(outcomes.get((int) i)));
    } else if (standing == ObjectRoot.Standing.FORGOTTEN) {
      String why = "so many other sessions came that this one was forgotten";
      endOwn(effects, i -> new CallResult.Unknown(why));
    }
    return standing == ObjectRoot.Standing.APPLIED;
  }

  /** Ends the batch under way. */
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
   * Ends all: what may have been applied by others as unknown, the rest by {@code callResult}.
   *
   * @param last the last root, if it was seen
   */
  void endAll(List<ProtocolEffect> effects, CallResult callResult, @Nullable ObjectRoot last) {
    if (own != null) {
      boolean cannot =
          !own.sent || last != null && last.isDisposed() && last.cannotHaveSeen(own.batch);
      String why = "the object ended while the call was under way";
      CallResult ofOwn = cannot ? callResult : new CallResult.Unknown(why);
      endOwn(effects, i -> ofOwn);
    }
    for (Waiting waiting : queue) {
      effects.add(new ProtocolEffect.Settle(waiting.id, callResult));
    }
    queue.clear();
  }
}
