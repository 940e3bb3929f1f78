package io.ensemble.zoofence.flattening;

import java.util.HashMap;
import java.util.List;

/**
 * A move of a subtree to other holders.
 *
 * @param path the subtree's root
 * @param rule the new holders, as in a flattening's text
 * @param command the name of the command that moves the subtree
 * @param phase the progress of the move
 */
public record SubtreeMove(String path, String rule, String command, Phase phase) {
  /** The progress of a move. */
  public enum Phase {
    /** The subtree is locked and is being copied; the former flattening is in force. */
    COPYING,
    /** The new flattening is in force; the copies at former holders are being removed. */
    CLEANING,
    /** The move has ended. */
    DONE
  }

  SubtreeMove at(Phase next) {
    return new SubtreeMove(path, rule, command, next);
  }

  /** The flattening after the move. */
  Flattening applied(Flattening before, List<String> names) {
    var rules = new HashMap<>(before.rules());
    rules.put(path, FlatteningText.rule(rule, names));
    return new Flattening(names.size(), rules);
  }
}
