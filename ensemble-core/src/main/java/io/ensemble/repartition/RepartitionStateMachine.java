package io.ensemble.repartition;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What one mover does, one errand after the other, in one turn of a change of parts. It remembers
 * what it has done itself; all else it takes from the record, so that another can begin anew where
 * it dies.
 *
 * <p><b>Idea.</b> Every former part gets a mark with the next generation and this mover's turn.
 * Whoever still trusts the former generation, or that it is another mover's turn, read before that;
 * once this is outwaited, nobody does. From then on nobody but this mover touches a key of the
 * moving share, at its former part or at its new one, until the record says that the key's former
 * part is done: so a key is read, written at its new part and removed at the former one, in three
 * steps, by one who checks within each write's own decision that it is still its turn. What a
 * former owner has decided and not yet stored meets a higher ballot: the present one writes every
 * key that it finds, also where it finds it written.
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

  /** What to do next in {@code repartition}, in which it is this mover's turn. */
  public RepartitionAction next(Repartition repartition, long nowNanos) {
    Set<String> unmarked = new TreeSet<>(rules.marked(parts));
    unmarked.removeAll(marked);
    if (!unmarked.isEmpty()) {
      return new RepartitionAction.PutMarks(unmarked);
    }
    if (!rules.isOver(markedNanos, nowNanos)) {
      return new RepartitionAction.Outwait(markedNanos + rules.outwaitNanos());
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

  /** The part had the mark by then. */
  public void marked(String part, long knownNanos) {
    if (marked.isEmpty() || knownNanos - markedNanos > 0) {
      markedNanos = knownNanos;
    }
    marked.add(part);
  }

  /** Nothing of the moving share is left in the part. */
  public void emptied(String part) {
    emptied.add(part);
  }
}
