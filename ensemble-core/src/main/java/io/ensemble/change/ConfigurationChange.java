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
 * A change of a cache's configuration, as the cache's record holds it. Every method gives another
 * value; it comes into force by the compare-and-set of the record.
 *
 * @param to what the cache will be; from {@link ChangePhase#CLOSING} on what it is; while {@link
 *     Step#ABORTING} what it would have been
 * @param incarnations the lives of the new stores, one a site; empty once they are the cache's, or
 *     are given up
 * @param step how far it has come
 * @param owner the mover at work, who alone puts anything into the new stores; {@link
 *     OwnerLiveness#NOBODY} when it has given its turn up
 * @param turn the how many-th owner it is; grows with every other one
 * @param remains stores to be removed before the change is over, each named here before
 * @param rate how many keys a second may be copied while the former configuration serves; 0 for as
 *     many as can be
 * @param beat the owner's last sign of life
 * @param restarts how many times it has begun anew after its new stores were lost in {@link
 *     Step#JOINT}: each leads to a configuration of the next number
 * @param abandoned the stores that served before a restart, of all restarts; they are among the
 *     remains. Stores of a mover that was overtaken, which never served, are not
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
          "a change has one new store for each of its sites until it has them no more;"
              + " cache=%s step=%s sites=%s stores=%s"
                  .formatted(to.name(), step, to.sites(), incarnations.keySet()));
    }
    if (rate < 0) {
      throw new IllegalArgumentException(
          "a rate is keys a second, or 0; cache=%s rate=%d".formatted(to.name(), rate));
    }
    if (restarts < 0) {
      throw new IllegalArgumentException(
          "restarts count from 0; cache=%s restarts=%d".formatted(to.name(), restarts));
    }
    if (turn < 1 || owner.isBlank()) {
      throw new IllegalArgumentException(
          "a change has an owner, whose turn counts from 1; cache=%s owner=%s turn=%d"
              .formatted(to.name(), owner, turn));
    }
  }

  /**
   * The first state of a change, of a mover that will make stores of these lives.
   *
   * @param remains what the change before could not remove
   */
  public static ConfigurationChange begun(
      CacheDefinition to,
      Map<String, String> lives,
      String owner,
      SortedSet<ObsoleteStore> remains) {
    return new ConfigurationChange(
        to, lives, ChangePhase.PREPARING, owner, 1, remains, 0, Heartbeat.NONE, 0, new TreeSet<>());
  }

  /** The same at the next of the steps that lead to the switch. */
  public ConfigurationChange at(ChangePhase next) {
    return new ConfigurationChange(
        to, incarnations, next, owner, turn, remains, rate, beat, restarts, abandoned);
  }

  /** The end of a change: the stores in {@code more} are to be removed as well. */
  public ConfigurationChange ending(ChangePhase end, Collection<ObsoleteStore> more) {
    return new ConfigurationChange(
        to, Map.of(), end, owner, turn, with(more), rate, beat, restarts, abandoned);
  }

  /**
   * The same in the hands of another mover, whose stores have the lives {@code lives}; those of the
   * former one, {@code former}, are to be removed, for it may be asleep with writes in its hands.
   */
  public ConfigurationChange takenOver(
      String by, Map<String, String> lives, Collection<ObsoleteStore> former) {
    return new ConfigurationChange(
        to, lives, step, by, turn + 1, with(former), rate, Heartbeat.NONE, restarts, abandoned);
  }

  /**
   * The same begun anew from the former configuration, in the hands of another mover, whose stores
   * have the lives {@code lives}: those that {@code served} serve no client any more.
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

  /** The same in nobody's hands: whoever comes first may take it over. */
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

  /** The same with only {@code left} still to be removed. */
  public ConfigurationChange leaving(Collection<ObsoleteStore> left) {
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, new TreeSet<>(left), rate, beat, restarts, abandoned);
  }

  /** The same with nothing to be removed at {@code site}; empty when that was all. */
  public Optional<ConfigurationChange> without(String site) {
    List<ObsoleteStore> left =
        remains.stream().filter(one -> !ReplicaName.siteOf(one.site()).equals(site)).toList();
    return left.isEmpty() ? Optional.empty() : Optional.of(leaving(left));
  }

  /** The same, its owner alive and so far. */
  public ConfigurationChange beaten(long copied, long of) {
    Heartbeat next = beat.next(copied, of);
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, remains, rate, next, restarts, abandoned);
  }

  /** The same, with so many keys a second to be copied at most; 0 for as many as can be. */
  public ConfigurationChange paced(long keysPerSecond) {
    return new ConfigurationChange(
        to, incarnations, step, owner, turn, remains, keysPerSecond, beat, restarts, abandoned);
  }

  /** What moves while its owner lives. */
  public OwnerLiveness sign() {
    return new OwnerLiveness(owner, turn, step.name(), beat.number());
  }

  /** Whether the former configuration may not serve any more and the new one not yet. */
  public boolean isSealing() {
    return step == ChangePhase.SEALING;
  }

  /** Whether the new configuration serves while it takes keys over from the former one. */
  public boolean isJoint() {
    return step == ChangePhase.JOINT;
  }

  /** Whether the former configuration has ended for good, and is not yet out of the record. */
  public boolean hasSealed() {
    return isSealing() || isJoint();
  }

  /** Whether the new configuration, or after giving up the former one, serves for good. */
  public boolean isEnding() {
    return step == ChangePhase.CLOSING || step == ChangePhase.ABORTING;
  }

  private SortedSet<ObsoleteStore> with(Collection<ObsoleteStore> more) {
    SortedSet<ObsoleteStore> all = new TreeSet<>(remains);
    all.addAll(more);
    return all;
  }
}
