package io.ensemble.change;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What one mover does, one errand after the other, in one change that it owns. It remembers what it
 * has done itself; all else it takes from the record, so that another can begin anew where it dies.
 *
 * <p><b>Idea.</b> While the former configuration serves, everything is copied once, so that the
 * last copy has little to do. Then the record says that the configuration ends, its end is put at
 * its sites, and all that may still trust it is outwaited. What it holds then it holds for good: a
 * vote that a sleeper casts later is acknowledged to nobody. So the last copy is right whenever it
 * is made, and the new configuration serves as soon as it is complete at every site; or, where the
 * new one can decide for each key once how it begins, serves at once and takes the keys over.
 *
 * <p>Every errand is harmless when it is done again, late, or by one whose turn is over: ends stay,
 * stores are named once and have one owner, removal is by name, and the record has one
 * compare-and-set for each step. Not thread-safe.
 */
public final class ChangeStateMachine {

  /** How many times what is left is tried to be removed. */
  private static final int MOST_REMOVALS = 3;

  private final ChangeRules rules;
  private final int sites;
  private final int needed;
  private final Set<Integer> ended = new TreeSet<>();
  private final Set<ObsoleteStore> removed = new HashSet<>();
  private boolean made;
  private boolean copied;
  private boolean copiedLast;
  private boolean tookOver;
  private int removals;
  private long endedNanos;
  private boolean fenced;
  private long fencedNanos;
  private boolean salvaged;

  /**
   * @param sites how many sites the former configuration has
   * @param each whether each of them answers for itself, as in WEAK
   */
  public ChangeStateMachine(ChangeRules rules, int sites, boolean each) {
    this.rules = rules;
    this.sites = sites;
    this.needed = rules.ends(sites, each);
  }

  private ChangeStateMachine(ChangeStateMachine other) {
    rules = other.rules;
    sites = other.sites;
    needed = other.needed;
    ended.addAll(other.ended);
    removed.addAll(other.removed);
    made = other.made;
    copied = other.copied;
    copiedLast = other.copiedLast;
    tookOver = other.tookOver;
    removals = other.removals;
    endedNanos = other.endedNanos;
    fenced = other.fenced;
    fencedNanos = other.fencedNanos;
    salvaged = other.salvaged;
  }

  /** The same course, going its own way from here. For exploring. */
  public ChangeStateMachine copy() {
    return new ChangeStateMachine(this);
  }

  /** What to do next in {@code change}, which this mover owns. */
  public ChangeAction next(ConfigurationChange change, long nowNanos) {
    if (change.isEnding()) {
      Set<ObsoleteStore> left = new TreeSet<>(change.remains());
      left.removeAll(removed);
      return left.isEmpty() || removals == MOST_REMOVALS
          ? new ChangeAction.Finish(left)
          : new ChangeAction.Remove(left);
    }
    if (change.isJoint()) {
      return rules.mayClose(tookOver)
          ? new ChangeAction.Advance(ChangePhase.CLOSING)
          : new ChangeAction.TakeOver();
    }
    if (!made) {
      return new ChangeAction.Make();
    }
    return switch (change.step()) {
      case PREPARING -> new ChangeAction.Advance(ChangePhase.COPYING);
      case COPYING ->
          copied ? new ChangeAction.Advance(ChangePhase.SEALING) : new ChangeAction.Copy(false);
      case SEALING -> seal(change, nowNanos);
      case JOINT, CLOSING, ABORTING ->
          throw new AssertionError("no step of these; step=" + change.step());
    };
  }

  private ChangeAction seal(ConfigurationChange change, long nowNanos) {
    if (ended.size() < needed) {
      Set<Integer> left = new TreeSet<>();
      for (int site = 0; site < sites; site++) {
        if (!ended.contains(site)) {
          left.add(site);
        }
      }
      return new ChangeAction.Seal(left);
    }
    boolean restarted = change.restarts() > 0;
    if (restarted && !rules.mayServeAgain(fenced)) {
      return new ChangeAction.Fence();
    }
    if (!rules.isOver(endedNanos, nowNanos)) {
      return new ChangeAction.Outwait(endedNanos + rules.outwaitNanos());
    }
    if (restarted && fenced && !rules.isAbandoned(fencedNanos, nowNanos)) {
      return new ChangeAction.Outwait(fencedNanos + rules.abandonNanos());
    }
    if (restarted && !salvaged) {
      return new ChangeAction.Salvage();
    }
    if (rules.takesOver(change.to().mode())) {
      return new ChangeAction.Advance(ChangePhase.JOINT);
    }
    return copiedLast ? new ChangeAction.Advance(ChangePhase.CLOSING) : new ChangeAction.Copy(true);
  }

  /** The new stores are there. */
  public void made() {
    made = true;
  }

  /** The end is known to be at a site, or the site's store is known to be gone for everybody. */
  public void ended(int site, long nowNanos) {
    if (ended.size() < needed && ended.add(site)) {
      endedNanos = nowNanos;
    }
  }

  /** Each abandoned store has an end, or was found to be gone. */
  public void fenced(long nowNanos) {
    fenced = true;
    fencedNanos = nowNanos;
  }

  /** An abandoned store that was gone is there again, and has no end yet. */
  public void unfenced() {
    fenced = false;
  }

  /** What is left of the abandoned stores is in the new ones. */
  public void salvaged() {
    salvaged = true;
  }

  /** A copy is complete. */
  public void copied(boolean last) {
    copied = true;
    copiedLast |= last;
  }

  /** Every key was taken over. */
  public void tookOver() {
    tookOver = true;
  }

  /**
   * These stores are gone, of those that were to be removed. What is left after some tries is for
   * another time, for its site cannot be reached.
   */
  public void removed(Collection<ObsoleteStore> stores) {
    removed.addAll(stores);
    removals++;
  }

  /** What this mover has done but for its ends, as one number; for exploring. */
  public long digest(long nowNanos) {
    List<Object> all =
        new ArrayList<>(List.of(made, copied, copiedLast, tookOver, removals, ended.size()));
    all.add(ended.size() < needed ? 0 : Math.min(nowNanos - endedNanos, rules.outwaitNanos()));
    all.addAll(List.of(fenced, salvaged));
    all.add(fenced ? Math.min(nowNanos - fencedNanos, rules.abandonNanos()) : 0);
    return all.hashCode();
  }

  /** Whether this mover knows of a site's end; for exploring. */
  public boolean knowsEnd(int site) {
    return ended.contains(site);
  }
}
