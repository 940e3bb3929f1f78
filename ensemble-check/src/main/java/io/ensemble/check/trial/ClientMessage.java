package io.ensemble.check.trial;

import org.jspecify.annotations.Nullable;

/**
 * What a client process says, as lines of JSON on its standard output.
 *
 * @param word {@code ready}, {@code progress} or {@code ended}
 * @param completed operations with an answer
 * @param refused operations that certainly had no effect
 * @param unknown operations that may have had one
 * @param broken operations that ended as none may; the first of them is told
 * @param trouble the first operation that ended so; null for none
 * @param left how many entries are in the store that nothing refers to, as far as it has looked
 */
public record ClientMessage(
    String word,
    long completed,
    long refused,
    long unknown,
    long broken,
    @Nullable String trouble,
    long left) {

  public static final String READY = "ready";
  public static final String PROGRESS = "progress";
  public static final String ENDED = "ended";

  /** Nothing done yet. */
  public static final ClientMessage SILENT = new ClientMessage("", 0, 0, 0, 0, null, 0);

  long done() {
    return completed + refused + unknown + broken;
  }

  /** Both together. */
  public ClientMessage and(ClientMessage other) {
    return new ClientMessage(
        word,
        completed + other.completed,
        refused + other.refused,
        unknown + other.unknown,
        broken + other.broken,
        trouble == null ? other.trouble : trouble,
        left + other.left);
  }
}
