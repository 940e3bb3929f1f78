package io.ensemble.check.trial;

import org.jspecify.annotations.Nullable;

/**
 * A message of a client process, as a line of JSON on its standard output.
 *
 * @param word {@code ready}, {@code progress} or {@code ended}
 * @param completed operations with an answer
 * @param refused operations that certainly had no effect
 * @param unknown operations that may have had an effect
 * @param broken operations with an illegal end; the first of them is reported
 * @param trouble the first operation with an illegal end; null for none
 * @param left the number of unreferenced entries in the store, as far as the client has checked
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

  /** No operations yet. */
  public static final ClientMessage SILENT = new ClientMessage("", 0, 0, 0, 0, null, 0);

  long done() {
    return completed + refused + unknown + broken;
  }

  /** The sum of both. */
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
