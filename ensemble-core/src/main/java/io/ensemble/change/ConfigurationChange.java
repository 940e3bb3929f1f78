package io.ensemble.change;

import io.ensemble.CacheDefinition;
import io.ensemble.placement.ReplicaName;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A change of a cache's configuration, as the cache's record holds it. Every method returns another
 * value, which takes effect by the compare-and-set of the record.
 *
 * @param to the new definition of the cache: from {@link ChangePhase#CLOSING} on, the current one;
 *     while {@link ChangePhase#ABORTING}, the one that was cancelled
 * @param incarnations the incarnations of the new stores, one a site; empty once the stores belong
 *     to the cache or are abandoned
 * @param step the phase of the change
 * @param owner the mover at work, the only one that writes seeds into the new stores; {@link
 *     OwnerLiveness#NOBODY} after it has resigned
 * @param turn the number of the owner, counted from 1; grows with each new owner
 * @param remains stores to be removed before the change ends, each of which the record named before
 * @param rate how many keys a second may be copied while the former configuration serves; 0 for no
 *     limit
 * @param beat the owner's last heartbeat
 * @param restarts how many times the change has restarted after its new stores were lost in {@link
 *     ChangePhase#CUTOVER}: each restart leads to a configuration of the next number
 * @param abandoned the stores that served before a restart, of all restarts; they are among the
 *     obsolete ones. Stores of a replaced mover, which never served, are not in this set
 */
public record ConfigurationChange(
    CacheDefinition to,
    Map<String, String> incarnations,
    ChangePhase step,
    String owner,
    long turn,
    SortedSet<ObsoleteStore> remains,
    long rate,
    Heartbeat beat,
    long restarts,
    SortedSet<ObsoleteStore> abandoned) {

  public ConfigurationChange {
    abandoned = Collections.unmodifiableSortedSet(new TreeSet<>(abandoned));
    incarnations = Collections.unmodifiableMap(new TreeMap<>(incarnations));
    remains = Collections.unmodifiableSortedSet(new TreeSet<>(remains));
    boolean ends = step == ChangePhase.CLOSING || step == ChangePhase.ABORTING;
    if (ends != incarnations.isEmpty()
        || (!ends && !incarnations.keySet().equals(new TreeSet<>(to.sites())))) {
      throw new IllegalArgumentException(
          ("a change must have one new store for each site that still requires one; cache=%s "
                  + "step=%s sites=%s stores=%s")
              .formatted(to.name(), step, to.sites(), incarnations.keySet()));
    }
    if (rate < 0) {
      throw new IllegalArgumentException(
          "rate must be 0 or more keys per second; cache=%s rate=%d".formatted(to.name(), rate));
    }
    if (restarts < 0) {
      throw new IllegalArgumentException(
          "number of restarts must be 0 or more; cache=%s restarts=%d"
              .formatted(to.name(), restarts));
    }
    if (turn < 1 || owner.isBlank()) {
      throw new IllegalArgumentException(
          "a change must have an owner and a turn of 1 or more; cache=%s owner=%s turn=%d"
              .formatted(to.name(), owner, turn));
    }
  }

  /**
   * The first state of a change. Its mover will create stores of these incarnations.
   *
   * @param remains the stores that the change before could not remove
   */
  public static ConfigurationChange begun(
      CacheDefinition to,
      Map<String, String> lives,
      String owner,
      SortedSet<ObsoleteStore> remains) {
    return new ConfigurationChange(
        to, lives, ChangePhase.PREPARING, owner, 1, remains, 0, Heartbeat.NONE, 0, new TreeSet<>());
  }

  /** The change at the next of the steps that lead to the switch. */
  public ConfigurationChange at(ChangePhase next) {
    return new ConfigurationChange(
        to, incarnations, next, owner, turn, remains, rate, beat, restarts, abandoned);
  }

  /** The end of this change: the stores in {@code more} are to be removed as well. */
  public ConfigurationChange ending(ChangePhase end, Collection<ObsoleteStore> more) {
    return new ConfigurationChange(
        to, Map.of(), end, owner, turn, with(more), rate, beat, restarts, abandoned);
  }

  /**
   * The change with another mover, which has stores of the incarnations {@code lives}. The stores
   * of the previous mover, {@code former}, are to be removed, because that mover may be paused with
   * writes in progress.
   */
  public ConfigurationChange takenOver(
      String by, Map<String, String> lives, Collection<ObsoleteStore> former) {
    return new ConfigurationChange(
        to, lives, step, by, turn + 1, with(former), rate, Heartbeat.NONE, restarts, abandoned);
  }

  /**
   * The change restarted from the former configuration, with another mover, which has stores of the
   * incarnations {@code lives}. The stores in {@code served} serve no client any more.
   */
  public ConfigurationChange restarted(
      String by, Map<String, String> lives, Collection<ObsoleteStore> served) {
    SortedSet<ObsoleteStore> all = new TreeSet<>(abandoned);
    all.addAll(served);
    return new ConfigurationChange(
        to,
        lives,
        ChangePhase.SEALING,
        by,
        turn + 1,
        with(served),
        rate,
        Heartbeat.NONE,
        restarts + 1,
        all);
  }

  /** The change without an owner: the first process that finds it may take it over. */
  public ConfigurationChange resigned() {
    return new ConfigurationChange(
        to,
        incarnations,
        step,
        OwnerLiveness.NOBODY,
        turn,
        remains,
        rate,
        beat,
        restarts,
        abandoned);
  }

  /** The change with only {@code left} still to be removed. */
  public ConfigurationChange leaving(Collection<ObsoleteStore> left) {
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, new TreeSet<>(left), rate, beat, restarts, abandoned);
  }

  /** The change with nothing to be removed at {@code site}; empty when nothing else was left. */
  public Optional<ConfigurationChange> without(String site) {
    List<ObsoleteStore> left =
        remains.stream().filter(one -> !ReplicaName.siteOf(one.site()).equals(site)).toList();
    return left.isEmpty() ? Optional.empty() : Optional.of(leaving(left));
  }

  /** The change after another heartbeat of its owner, with the owner's progress. */
  public ConfigurationChange beaten(long copied, long of) {
    Heartbeat next = beat.next(copied, of);
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, remains, rate, next, restarts, abandoned);
  }

  /** The change with a limit of keys to be copied a second; 0 for no limit. */
  public ConfigurationChange paced(long keysPerSecond) {
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, remains, keysPerSecond, beat, restarts, abandoned);
  }

  /** The state that advances while the owner is alive. */
  public OwnerLiveness sign() {
    return new OwnerLiveness(owner, turn, step.name(), beat.number());
  }

  /** Whether the former configuration no longer serves and the new one does not serve yet. */
  public boolean isSealing() {
    return step == ChangePhase.SEALING;
  }

  /** Whether the new configuration serves while it takes keys over from the former one. */
  public boolean isInCutover() {
    return step == ChangePhase.CUTOVER;
  }

  /** Whether the former configuration has ended, or is ending, and is still in the record. */
  public boolean hasSealed() {
    return isSealing() || isInCutover();
  }

  /**
   * Whether the change is decided: the new configuration serves, or after a cancellation the former
   * one.
   */
  public boolean isEnding() {
    return step == ChangePhase.CLOSING || step == ChangePhase.ABORTING;
  }

  private SortedSet<ObsoleteStore> with(Collection<ObsoleteStore> more) {
    SortedSet<ObsoleteStore> all = new TreeSet<>(remains);
    all.addAll(more);
    return all;
  }
}
