package io.ensemble.repartition;

import io.ensemble.lease.ConfigurationLeaseRules;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The decisions on which the safety of a change of parts rests. Immutable.
 *
 * <p>The mover writes a mark into every part that a paused process may use. Then the mover waits
 * longer than any lease on the previous generation lasts. A mover moves no key without a lease on
 * its own mark.
 */
public class RepartitionRules {

  private final ConfigurationLeaseRules trust;

  public RepartitionRules(ConfigurationLeaseRules trust) {
    this.trust = trust;
  }

  /** The rules by which a lease on a mark holds. */
  public final ConfigurationLeaseRules trust() {
    return trust;
  }

  /** The former parts into which marks are written. */
  public Set<String> marked(List<String> parts) {
    return new TreeSet<>(parts);
  }

  /**
   * Whether no process holds a lease on a generation for which the last mark was in place by {@code
   * markedNanos}.
   */
  public boolean isOver(long markedNanos, long nowNanos) {
    return trust.hasOutwaited(markedNanos, nowNanos);
  }

  /** How long that takes. */
  public long outwaitNanos() {
    return trust.outwaitNanos();
  }

  /** Whether a mover may change a key now. */
  public boolean mayMove(PartLease part, GenerationMark own, long nowNanos) {
    return part.isMarkedBy(own, nowNanos);
  }

  /** The interval between two heartbeats of a mover. */
  public long beatNanos() {
    return trust.leaseNanos();
  }

  /** How long the heartbeat of a mover must be silent before another process takes over. */
  public long silenceNanos() {
    return 3 * trust.leaseNanos();
  }

  /** The bound of {@link io.ensemble.change.ChangeRules#blindNanos}. */
  public long blindNanos() {
    return 2 * trust.leaseNanos();
  }
}
