package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Proposal;

/**
 * What a process keeps of an object from one of its operations to the next.
 *
 * @param node the node of the process in the tree of participants
 * @param state the newest state that the process knows
 * @param index the consensus that decides the state after that
 * @param round the round of that consensus
 * @param isAnnounced whether the process's entry in the map of indexes has that index
 */
public record Participation(
    Participant self,
    String node,
    KnownNodes known,
    Bytes state,
    long index,
    long round,
    boolean isAnnounced) {

  Participation at(Proposal decision, boolean isAnnounced) {
    return new Participation(
        self, node, known, decision.state(), decision.next(), decision.nextRound(), isAnnounced);
  }

  /**
   * The same, before the process has announced its index again. For a process that has stopped an
   * operation outside of a consensus.
   */
  public Participation unannounced() {
    return new Participation(self, node, known, state, index, round, false);
  }

  Participation announced() {
    return new Participation(self, node, known, state, index, round, true);
  }

  Participation knowing(KnownNodes more) {
    return new Participation(self, node, more, state, index, round, isAnnounced);
  }
}
