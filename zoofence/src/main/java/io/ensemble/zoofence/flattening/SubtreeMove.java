package io.ensemble.zoofence.flattening;

import java.util.HashMap;
import java.util.List;

/**
 * A subtree that goes over to other holders.
 *
 * @param path the subtree's root
 * @param rule who holds it from then on, as in a flattening's text
 * @param command the name of the command that moves it
 * @param phase how far it is
 */
public record SubtreeMove(String path, String rule, String command, Phase phase) {
  /** How far a move is. */
  public enum Phase {
    /** What is moved stands still, and is copied; the flattening is the one from before. */
    COPYING,
    /** The flattening is the new one; what former holders have is removed. */
    CLEANING,
    /** Nothing is left to be done. */
    DONE
  }

  SubtreeMove at(Phase next) {
    return new SubtreeMove(path, rule, command, next);
  }

  /** The flattening behind the move. */
  Flattening applied(Flattening before, List<String> names) {
    var rules = new HashMap<>(before.rules());
    rules.put(path, FlatteningText.rule(rule, names));
    return new Flattening(names.size(), rules);
  }
}
