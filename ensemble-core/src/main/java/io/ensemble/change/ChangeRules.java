package io.ensemble.change;

import io.ensemble.Mode;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.quorum.Quorum;
import java.time.Duration;

/**
 * The decisions on which the safety of a change rests. Immutable.
 *
 * <p>The mover writes end marks at so many sites that every process with a lease on the
 * configuration depends on one of them. Then the mover waits longer than a lease lasts. Then the
 * mover makes a last copy, after which no write can follow. Each mover has stores of its own. No
 * change is cancelled once end marks may have been written.
 */
public class ChangeRules {

  /**
   * The maximum age of the record by which a process takes a key over. The same bound holds for a
   * record by which a process renews a lease on a site after the lease has expired, while keys are
   * being taken over.
   */
  public static final Duration SEEN_WITHIN = Duration.ofSeconds(20);

  private static final int DRIFT_PARTS = 10;

  private final ConfigurationLeaseRules trust;

  public ChangeRules(ConfigurationLeaseRules trust) {
    this.trust = trust;
  }

  /**
   * The number of sites at which a configuration must be sealed: a majority where operations need
   * one, every site where the response of one site suffices.
   *
   * @param each whether each site responds on its own, as in WEAK
   */
  public int ends(int sites, boolean each) {
    return each ? sites : new Quorum(sites).majority();
  }

  /**
   * Whether no process can hold a lease on a configuration that was sealed by {@code endedNanos}.
   */
  public boolean isOver(long endedNanos, long nowNanos) {
    return trust.hasOutwaited(endedNanos, nowNanos);
  }

  /** How long a mover waits after the seal until every lease has expired. */
  public long outwaitNanos() {
    return trust.outwaitNanos();
  }

  /** The interval between two heartbeats of a mover. */
  public long beatNanos() {
    return trust.leaseNanos();
  }

  /**
   * How long the heartbeat of a mover at {@code changePhase} must be silent before another process
   * takes over. The last phases can wait: the stores left then may be at a site that no process
   * reaches.
   */
  public long silenceNanos(ChangePhase changePhase) {
    boolean ends = changePhase == ChangePhase.CLOSING || changePhase == ChangePhase.ABORTING;
    return (ends ? 30 : 3) * trust.leaseNanos();
  }

  /**
   * The maximum time between two reads of a mover's record for the time between them to count as
   * the mover's silence. A process that could not read the record for longer must not blame the
   * mover: the mover may have lost the catalog as well. The bound is two heartbeats, because a
   * process that reads at each heartbeat reads a little later each time.
   */
  public long blindNanos() {
    return 2 * trust.leaseNanos();
  }

  /** Whether a change at {@code changePhase} can still be cancelled. */
  public boolean canCancel(ChangePhase changePhase) {
    return changePhase == ChangePhase.PREPARING || changePhase == ChangePhase.COPYING;
  }

  /**
   * Whether a change at {@code changePhase} can restart from the former configuration after the
   * loss of its new stores. Before this phase no client has written to the new stores, so that a
   * mover makes others. After it, the former stores are being removed.
   */
  public boolean mayRestart(ChangePhase changePhase) {
    return changePhase == ChangePhase.CUTOVER;
  }

  /**
   * Whether the new stores of a restarted change may serve, as far as its abandoned stores are
   * concerned: a process that still uses an abandoned store must get no response from it.
   */
  public boolean mayServeAgain(boolean abandonedAreFenced) {
    return abandonedAreFenced;
  }

  /**
   * Whether no process can hold a lease on an abandoned configuration, even though missing stores
   * of it may have returned without an end mark.
   *
   * @param fencedNanos when each of its stores had an end mark or was missing; the record named the
   *     stores as abandoned before that
   */
  public boolean isAbandoned(long fencedNanos, long nowNanos) {
    return nowNanos - fencedNanos >= abandonNanos();
  }

  /**
   * How long that takes: until no process acts by an older record, and then until the leases
   * expire.
   */
  public long abandonNanos() {
    long seen = SEEN_WITHIN.toNanos();
    return seen + seen / DRIFT_PARTS + trust.outwaitNanos();
  }

  /**
   * Whether a process that takes over a change at {@code changePhase} makes stores of its own. The
   * process keeps the existing stores once clients have written to them.
   */
  public boolean takesOtherStores(ChangePhase changePhase) {
    return changePhase == ChangePhase.PREPARING
        || changePhase == ChangePhase.COPYING
        || changePhase == ChangePhase.SEALING;
  }

  /**
   * Whether the new configuration serves before all keys are in it. A mode where this is possible
   * takes a key over in one step of the key's register.
   */
  public boolean takesOver(Mode to) {
    return to == Mode.MWMR;
  }

  /** Whether the former stores may be removed. */
  public boolean mayClose(boolean allTakenOver) {
    return allTakenOver;
  }
}
