package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.Splitter.Way;
import org.jspecify.annotations.Nullable;

/**
 * Finds a node of its own for a process in a binary tree of splitters (the adaptive collect of
 * Attiya, Fouren and Gafni, which LEADS D2.6, appendix E, section 3.3 names). So processes that are
 * not known beforehand have entries in maps, and others find them. With k processes no way is
 * longer than k nodes. Returns the node, or null beyond the longest way that is allowed.
 */
record ParticipantTree(Round round, Participant self, int longestWay, String node, boolean isSplit)
    implements Frame {

  static ParticipantTree enter(Round round, Participant self, int longestWay) {
    return new ParticipantTree(round, self, longestWay, "", false);
  }

  /** The lower object of a node. */
  static String part(String node) {
    return "node-" + node;
  }

  @Override
  public Move resume(@Nullable Object answer) {
    if (!isSplit) {
      return new Move.Call(
          Splitter.split(round.part(part(node)), self),
          new ParticipantTree(round, self, longestWay, node, true));
    }
    if (answer == Way.STOP) {
      return new Move.Return(node);
    }
    if (node.length() == longestWay) {
      return new Move.Return(null);
    }
    String child = node + (answer == Way.LEFT ? "L" : "R");
    return new ParticipantTree(round, self, longestWay, child, false).resume(null);
  }
}
