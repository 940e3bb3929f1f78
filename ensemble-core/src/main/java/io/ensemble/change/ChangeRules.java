package io.ensemble.change;

import io.ensemble.Mode;
import io.ensemble.lease.LeaseRules;
import io.ensemble.quorum.Quorum;
import java.time.Duration;

/**
 * The decisions on which a change's safety rests. Immutable.
 *
 * <p>Ends at so many sites that whoever trusts the configuration trusts one of them; then a wait
 * that outlasts trust; then a last copy that nothing can come after; and for each mover stores of
 * its own. Nobody goes back once ends may have been put.
 */
public class ChangeRules {

  /**
   * How old the record may be by which a process takes a key over, or trusts a site again that it
   * has ceased to trust, while keys are taken over.
   */
  public static final Duration SEEN_WITHIN = Duration.ofSeconds(20);

  private static final int DRIFT_PARTS = 10;

  private final LeaseRules trust;

  public ChangeRules(LeaseRules trust) {
    this.trust = trust;
  }

  /**
   * At how many sites a configuration is ended. A majority where answers need one; every site where
   * one site's word is enough.
   *
   * @param each whether each site answers for itself
   */
  public int ends(int sites, boolean each) {
    return each ? sites : new Quorum(sites).majority();
  }

  /** Whether nobody trusts a configuration that was ended by {@code endedNanos}. */
  public boolean isOver(long endedNanos, long nowNanos) {
    return trust.hasOutwaited(endedNanos, nowNanos);
  }

  /** How long that takes. */
  public long outwaitNanos() {
    return trust.outwaitNanos();
  }

  /** How often a mover gives a sign of life. */
  public long beatNanos() {
    return trust.leaseNanos();
  }

  /**
   * How long a mover at {@code changePhase} is silent before another takes over. Ends can wait:
   * what is left then may be stores at a site that nobody reaches.
   */
  public long silenceNanos(ChangePhase changePhase) {
    boolean ends = changePhase == ChangePhase.CLOSING || changePhase == ChangePhase.ABORTING;
    return (ends ? 30 : 3) * trust.leaseNanos();
  }

  /**
   * How far two looks at a mover's record may be apart, so that the time between counts as its
   * silence. Who could not read the record for longer cannot blame the mover: it may have found no
   * way to the catalog either. Two beats, for whoever looks with every beat looks a little later.
   */
  public long blindNanos() {
    return 2 * trust.leaseNanos();
  }

  /** Whether a change at {@code changePhase} can still be given up. */
  public boolean mayGiveUp(ChangePhase changePhase) {
    return changePhase == ChangePhase.PREPARING || changePhase == ChangePhase.COPYING;
  }

  /**
   * Whether a change at {@code changePhase} can begin anew from the former configuration, when its
   * new stores are lost. Before, nobody has written to them, so that a mover makes others; after
   * it, the former stores are on their way out.
   */
  public boolean mayRestart(ChangePhase changePhase) {
    return changePhase == ChangePhase.JOINT;
  }

  /**
   * Whether the new stores of a restarted change may serve, as far as those are concerned that it
   * has abandoned: whoever still uses them must get no answer out of them.
   */
  public boolean mayServeAgain(boolean abandonedAreFenced) {
    return abandonedAreFenced;
  }

  /**
   * Whether nobody trusts a configuration that was abandoned, though stores of it that were gone
   * may have come back without an end.
   *
   * @param fencedNanos when each of its stores had an end or was gone, which the record said before
   */
  public boolean isAbandoned(long fencedNanos, long nowNanos) {
    return nowNanos - fencedNanos >= abandonNanos();
  }

  /** How long that takes: until no process goes by an older record, and then until trust ends. */
  public long abandonNanos() {
    long seen = SEEN_WITHIN.toNanos();
    return seen + seen / DRIFT_PARTS + trust.outwaitNanos();
  }

  /**
   * Whether who takes over at {@code changePhase} makes stores of its own. Not once clients have
   * written to those that are there.
   */
  public boolean takesOtherStores(ChangePhase changePhase) {
    return changePhase == ChangePhase.PREPARING
        || changePhase == ChangePhase.COPYING
        || changePhase == ChangePhase.SEALING;
  }

  /**
   * Whether the new configuration serves before everything is in it: where taking over a key is one
   * step of its register.
   */
  public boolean takesOver(Mode to) {
    return to == Mode.MWMR;
  }

  /** Whether the former stores may go. */
  public boolean mayClose(boolean allTakenOver) {
    return allTakenOver;
  }
}
