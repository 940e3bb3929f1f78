package io.ensemble.repartition;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The actions of one mover, one after the other, in one turn of a change of parts. The state
 * machine records only what this mover has done. Everything else is in the record, so that another
 * mover can continue after a crash.
 *
 * <p><b>Idea.</b> Every former part gets a mark with the next generation and this mover's turn. A
 * process that still has a lease on the former generation, or on another mover's turn, read before
 * that. Once the mover has waited for a lease, no process has one. Then, until the record says that
 * a former part is done, only this mover touches its keys of the moving share, at either part. So a
 * key moves in three steps: the mover reads it, writes it at its new part and removes it at the
 * former one. Within each write's own decision, the mover checks that the turn is still its own. A
 * write that a former owner has decided and not yet stored meets a higher ballot: the present mover
 * writes every key that it finds, even one that is already written.
 *
 * <p>Not thread-safe.
 */
public final class RepartitionStateMachine {

  private final RepartitionRules rules;
  private final List<String> parts;
  private final Set<String> marked = new TreeSet<>();
  private final Set<String> emptied = new HashSet<>();
  private long markedNanos;

  /**
   * @param parts the former parts
   */
  public RepartitionStateMachine(RepartitionRules rules, List<String> parts) {
    this.rules = rules;
    this.parts = List.copyOf(parts);
  }

  /** The next action in {@code repartition}, in which it is this mover's turn. */
  public RepartitionAction next(Repartition repartition, long nowNanos) {
    Set<String> unmarked = new TreeSet<>(rules.marked(parts));
    unmarked.removeAll(marked);
    if (!unmarked.isEmpty()) {
      return new RepartitionAction.PutMarks(unmarked);
    }
    if (!rules.isOver(markedNanos, nowNanos)) {
      return new RepartitionAction.AwaitLeaseExpiry(markedNanos + rules.outwaitNanos());
    }
    if (repartition.step() == RepartitionPhase.MARKING) {
      return new RepartitionAction.Begin();
    }
    for (String part : parts) {
      if (!repartition.moved().contains(part)) {
        return emptied.contains(part)
            ? new RepartitionAction.Release(part)
            : new RepartitionAction.Move(part);
      }
    }
    return new RepartitionAction.Finish();
  }

  /** The part had the mark by this time. */
  public void marked(String part, long knownNanos) {
    if (marked.isEmpty() || knownNanos - markedNanos > 0) {
      markedNanos = knownNanos;
    }
    marked.add(part);
  }

  /** The part holds no key of the moving share any more. */
  public void emptied(String part) {
    emptied.add(part);
  }
}
