package io.ensemble.register;

import io.ensemble.register.AcceptorTracker.Progress;
import io.ensemble.register.Update.Decision;
import java.util.List;

/**
 * One vote a site, directly from the cells that were read, without promises: for a successor of a
 * chosen content, or for the cell that a read writes back.
 *
 * @param target the cell that the sites are asked to store
 * @param decision the decision that the caller receives when enough of them do
 */
record Votes<V, R>(Cell<V> target, Decision<V, R> decision) {

  /** Asks every site with a cell that a fast ballot may succeed. */
  List<RegisterRequest<V>> askForSuccessor(
      RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    Ballot base = target.floor();
    return acceptorTracker.proposeWhere(
        target, cell -> false, cell -> rules.canVoteFrom(cell, base));
  }

  /** Asks every site that lags behind the result of a read. */
  List<RegisterRequest<V>> askForRepair(RegisterRules rules, AcceptorTracker<V> acceptorTracker) {
    Ballot base = rules.baseOfVotes(acceptorTracker.cells(Progress.READ), target);
    return acceptorTracker.proposeWhere(
        target,
        cell -> rules.hasAccepted(cell, target),
        cell -> rules.canAcceptRepair(cell, target, base));
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
