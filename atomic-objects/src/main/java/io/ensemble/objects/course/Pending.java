package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Member;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The calls of this session: those that wait, and the batch that is under way. */
final class Pending {

  private record Waiting(long id, Bytes call) {}

  /** A batch under way, whose calls they are, and whether anybody but this session may have it. */
  static final class Own {
    final Batch batch;
    final List<Long> ids;
    boolean sent;
    boolean posted;

    /** Until when it is left to a combiner, if there is one. */
    long patienceEnds;

    /** Until when it is left to whoever wins, if nobody combines. */
    long helpBy;

    Own(Batch batch, List<Long> ids) {
      this.batch = batch;
      this.ids = ids;
    }
  }

  private final UUID session;
  private final Layout layout;
  private final Deque<Waiting> queue = new ArrayDeque<>();
  private @Nullable Own own;
  private long number;
  private int expected;
  private long gatheredAt = Long.MIN_VALUE;

  Pending(UUID session, Layout layout) {
    this.session = session;
    this.layout = layout;
  }

  /** False if too many wait already. */
  boolean add(long id, Bytes call) {
    return queue.size() < layout.queued() && queue.add(new Waiting(id, call));
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
  @Nullable Own next(Root root, long now) {
    boolean gathered = queue.size() >= expected || now >= gatheredAt;
    if (own == null && !queue.isEmpty() && gathered) {
      List<Long> ids = new ArrayList<>();
      List<Bytes> calls = new ArrayList<>();
      long bytes = 0;
      while (!queue.isEmpty() && ids.size() < layout.batchCalls()) {
        bytes += queue.getFirst().call.size();
        if (bytes > layout.callBytes() && !ids.isEmpty()) {
          break;
        }
        Waiting first = queue.removeFirst();
        ids.add(first.id);
        calls.add(first.call);
      }
      own = new Own(new Batch(root.birth(), session, ++number, root.sequence(), calls), ids);
      if (root.standing(own.batch) != Root.Standing.NEW) {
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
  boolean settle(Root root, long now, long gathering, List<Effect> effects) {
    Own settled = own;
    if (settled == null) {
      return false;
    }
    Root.Standing standing = root.standing(settled.batch);
    if (standing == Root.Standing.APPLIED) {
      expected = Math.min(layout.batchCalls(), queue.size() + settled.ids.size());
      gatheredAt = now + gathering;
      Member member = root.member(session).orElseThrow();
      List<Outcome> outcomes = member.outcomes();
      if (member.number() != settled.batch.number() || outcomes.size() != settled.ids.size()) {
        throw new AssertionError("a session's batches end in their order");
      }
      endOwn(effects, i -> new Verdict.Answered(outcomes.get((int) i)));
    } else if (standing == Root.Standing.FORGOTTEN) {
      String why = "so many other sessions came that this one was forgotten";
      endOwn(effects, i -> new Verdict.Unknown(why));
    }
    return standing == Root.Standing.APPLIED;
  }

  /** Ends the batch under way. */
  private void endOwn(List<Effect> effects, LongFunction<Verdict> verdictOfCall) {
    Own ended = own;
    own = null;
    if (ended != null) {
      for (int i = 0; i < ended.ids.size(); i++) {
        effects.add(new Effect.Settle(ended.ids.get(i), verdictOfCall.apply(i)));
      }
    }
  }

  /**
   * Ends all: what may have been applied by others as unknown, the rest by {@code verdict}.
   *
   * @param last the last root, if it was seen
   */
  void endAll(List<Effect> effects, Verdict verdict, @Nullable Root last) {
    if (own != null) {
      boolean cannot =
          !own.sent || last != null && last.isDisposed() && last.cannotHaveSeen(own.batch);
      String why = "the object ended while the call was under way";
      Verdict ofOwn = cannot ? verdict : new Verdict.Unknown(why);
      endOwn(effects, i -> ofOwn);
    }
    for (Waiting waiting : queue) {
      effects.add(new Effect.Settle(waiting.id, verdict));
    }
    queue.clear();
  }
}
