package io.ensemble.repartition;

import io.ensemble.lease.LeaseRules;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The decisions on which the safety of a change of parts rests. Immutable.
 *
 * <p>A mark in every part that a sleeper may use; then a wait that outlasts all trust in the
 * generation before; and a mover that moves nothing once it does not trust that it is its turn.
 */
public class RepartitionRules {

  private final LeaseRules trust;

  public RepartitionRules(LeaseRules trust) {
    this.trust = trust;
  }

  /** For how long a mark's absence is trusted. */
  public final LeaseRules trust() {
    return trust;
  }

  /** In which of the former parts marks are put. */
  public Set<String> marked(List<String> parts) {
    return new TreeSet<>(parts);
  }

  /** Whether nobody trusts a generation whose last mark was there by {@code markedNanos}. */
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

  /** How often a mover gives a sign of life. */
  public long beatNanos() {
    return trust.leaseNanos();
  }

  /** How long a mover is silent before another takes over. */
  public long silenceNanos() {
    return 3 * trust.leaseNanos();
  }

  /** As {@link io.ensemble.change.ChangeRules#blindNanos}. */
  public long blindNanos() {
    return 2 * trust.leaseNanos();
  }
}
