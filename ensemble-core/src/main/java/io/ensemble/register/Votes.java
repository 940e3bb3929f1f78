package io.ensemble.register;

import io.ensemble.register.AcceptorTracker.Progress;
import io.ensemble.register.Update.Decision;
import java.util.List;

/**
 * One vote a site, straight from the cells that were read, with no promises asked: for a successor
 * of a chosen content, or for what a read writes back.
 *
 * @param target what the sites are asked to store
 * @param decision what the caller is told when enough of them do
 */
record Votes<V, R>(Cell<V> target, Decision<V, R> decision) {

  /** Asks every site whose cell may be succeeded by a fast ballot's. */
  List<RegisterRequest<V>> askForSuccessor(
      RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    Ballot base = target.floor();
    return acceptorTracker.proposeWhere(target, cell -> false, cell -> rules.votesFrom(cell, base));
  }

  /** Asks every site that lags behind what a read found. */
  List<RegisterRequest<V>> askForRepair(RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    return acceptorTracker.proposeWhere(
        target, cell -> rules.holds(cell, target), cell -> rules.takesRepair(cell, target));
  }

  boolean areEnough(RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    return acceptorTracker.count(Progress.ACCEPTED) >= needed(rules);
  }

  boolean areHopeless(RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    return acceptorTracker.count(Progress.ACCEPTED) + acceptorTracker.count(Progress.ACCEPTING)
        < needed(rules);
  }

  private int needed(RegisterRules rules) {
    return isFast() ? rules.fastQuorum(target.floor()) : rules.acceptances();
  }

  boolean isFast() {
    return target.accepted().isFast();
  }

  long digest() {
    return RegisterDigest.of(RegisterDigest.of(target), decision.digest());
  }
}
