package io.ensemble.register;

import io.ensemble.register.Sites.Progress;
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
  List<Request<V>> askForSuccessor(Rules rules, Sites<V> sites) {
    Ballot base = target.floor();
    return sites.proposeWhere(target, cell -> false, cell -> rules.votesFrom(cell, base));
  }

  /** Asks every site that lags behind what a read found. */
  List<Request<V>> askForRepair(Rules rules, Sites<V> sites) {
    return sites.proposeWhere(
        target, cell -> rules.holds(cell, target), cell -> rules.takesRepair(cell, target));
  }

  boolean areEnough(Rules rules, Sites<V> sites) {
    return sites.count(Progress.ACCEPTED) >= needed(rules);
  }

  boolean areHopeless(Rules rules, Sites<V> sites) {
    return sites.count(Progress.ACCEPTED) + sites.count(Progress.ACCEPTING) < needed(rules);
  }

  private int needed(Rules rules) {
    return isFast() ? rules.fastQuorum(target.floor()) : rules.acceptances();
  }

  boolean isFast() {
    return target.accepted().isFast();
  }

  long digest() {
    return Digest.of(Digest.of(target), decision.digest());
  }
}
