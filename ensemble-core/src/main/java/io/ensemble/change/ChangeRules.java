package io.ensemble.change;

import io.ensemble.Mode;
import io.ensemble.quorum.Quorum;
import io.ensemble.trust.TrustRules;

/**
 * The decisions on which a change's safety rests. Immutable.
 *
 * <p>Ends at so many sites that whoever trusts the configuration trusts one of them; then a wait
 * that outlasts trust; then a last copy that nothing can come after; and for each mover stores of
 * its own. Nobody goes back once ends may have been put.
 */
public class ChangeRules {

  private final TrustRules trust;

  public ChangeRules(TrustRules trust) {
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
   * How long a mover at {@code step} is silent before another takes over. Ends can wait: what is
   * left then may be stores at a site that nobody reaches.
   */
  public long silenceNanos(Step step) {
    boolean ends = step == Step.CLOSING || step == Step.ABORTING;
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

  /** Whether a change at {@code step} can still be given up. */
  public boolean mayGiveUp(Step step) {
    return step == Step.PREPARING || step == Step.COPYING;
  }

  /**
   * Whether who takes over at {@code step} makes stores of its own. Not once clients have written
   * to those that are there.
   */
  public boolean takesOtherStores(Step step) {
    return step == Step.PREPARING || step == Step.COPYING || step == Step.SEALING;
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
