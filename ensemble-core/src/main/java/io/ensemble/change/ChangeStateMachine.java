package io.ensemble.change;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The actions of one mover, one after the other, in one change that the mover owns. The state
 * machine records only what this mover has done. Everything else is in the cache's record, so that
 * another mover can continue after a crash.
 *
 * <p><b>Idea.</b> While the former configuration serves, everything is copied once, so that the
 * last copy has little to do. Then the record says that the configuration ends, and the mover
 * writes an end mark at its sites and waits until all leases on it have expired. From then on no
 * write to the former configuration is acknowledged, not even the vote of a process that was
 * paused. So the last copy is correct whenever it is made, and the new configuration serves as soon
 * as the copy is complete at every site. If the new configuration can decide once for each key how
 * the key begins, it serves immediately and takes the keys over.
 *
 * <p>Every action is harmless when it is repeated, late, or performed by a mover that no longer
 * owns the change. End marks stay; a store has a unique name and one owner; removal is by name; and
 * the record has one compare-and-set for each step. Not thread-safe.
 */
public final class ChangeStateMachine {

  /** How many times the mover tries to remove the obsolete stores. */
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
   * @param sites the number of sites of the former configuration
   * @param each whether each of them responds on its own, as in WEAK
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

  /** An independent copy in the same state, for state exploration. */
  public ChangeStateMachine copy() {
    return new ChangeStateMachine(this);
  }

  /** The next action in {@code change}, which this mover owns. */
  public ChangeAction next(ConfigurationChange change, long nowNanos) {
    if (change.isEnding()) {
      Set<ObsoleteStore> left = new TreeSet<>(change.remains());
      left.removeAll(removed);
      return left.isEmpty() || removals == MOST_REMOVALS
          ? new ChangeAction.Finish(left)
          : new ChangeAction.Remove(left);
    }
    if (change.isInCutover()) {
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
      case CUTOVER, CLOSING, ABORTING ->
          throw new AssertionError("unexpected step; step=" + change.step());
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
      return new ChangeAction.AwaitLeaseExpiry(endedNanos + rules.outwaitNanos());
    }
    if (restarted && fenced && !rules.isAbandoned(fencedNanos, nowNanos)) {
      return new ChangeAction.AwaitLeaseExpiry(fencedNanos + rules.abandonNanos());
    }
    if (restarted && !salvaged) {
      return new ChangeAction.Salvage();
    }
    if (rules.takesOver(change.to().mode())) {
      return new ChangeAction.Advance(ChangePhase.CUTOVER);
    }
    return copiedLast ? new ChangeAction.Advance(ChangePhase.CLOSING) : new ChangeAction.Copy(true);
  }

  /** The new stores exist. */
  public void made() {
    made = true;
  }

  /** The end mark is at a site, or the site's store no longer exists for any process. */
  public void ended(int site, long nowNanos) {
    if (ended.size() < needed && ended.add(site)) {
      endedNanos = nowNanos;
    }
  }

  /** Each abandoned store has an end mark or no longer exists. */
  public void fenced(long nowNanos) {
    fenced = true;
    fencedNanos = nowNanos;
  }

  /** A missing abandoned store has returned and has no end mark yet. */
  public void unfenced() {
    fenced = false;
  }

  /** The data left in the abandoned stores is in the new ones. */
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
   * An attempt to remove obsolete stores has ended, and these of them no longer exist. After some
   * attempts the rest is left to a later change, because its site cannot be reached.
   */
  public void removed(Collection<ObsoleteStore> stores) {
    removed.addAll(stores);
    removals++;
  }

  /**
   * A fingerprint of the progress of this mover except for its end marks, for state exploration.
   */
  public long digest(long nowNanos) {
    List<Object> all =
        new ArrayList<>(List.of(made, copied, copiedLast, tookOver, removals, ended.size()));
    all.add(ended.size() < needed ? 0 : Math.min(nowNanos - endedNanos, rules.outwaitNanos()));
    all.addAll(List.of(fenced, salvaged));
    all.add(fenced ? Math.min(nowNanos - fencedNanos, rules.abandonNanos()) : 0);
    return all.hashCode();
  }

  /** Whether this mover has recorded the end of a site, for state exploration. */
  public boolean knowsEnd(int site) {
    return ended.contains(site);
  }
}
