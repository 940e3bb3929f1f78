package io.ensemble.check.doctor;

import java.util.List;

/** Changes of caches that have not ended. */
public final class ChangeFindings {

  static final String CHECK = "changes";
  private static final String PAGE = "docs/changes.md";

  /** The state of the process that carries a change out. */
  public enum MoverState {
    /** Its heartbeat advanced while it was watched. */
    ALIVE,
    /** Its heartbeat did not advance. */
    SILENT,
    /** It has resigned, and no process has taken over. */
    NONE
  }

  private ChangeFindings() {}

  /**
   * @param step the step, with its progress
   * @param lost the sites that have lost the new stores, so that the change cannot end
   */
  public static Finding of(String cache, String step, MoverState mover, List<String> lost) {
    if (!lost.isEmpty()) {
      return Finding.error(
          CHECK,
          cache,
          "%s; the new stores are missing at %s: the change cannot end"
              .formatted(step, String.join(",", lost)),
          "./ensemble migrations show %s; see %s#when-the-new-stores-are-lost-in-cutover"
              .formatted(cache, PAGE));
    }
    return switch (mover) {
      case ALIVE ->
          Finding.warning(
              CHECK,
              cache,
              "is being changed: " + step,
              "./ensemble migrations show %s; see %s".formatted(cache, PAGE));
      case SILENT ->
          Finding.error(
              CHECK,
              cache,
              "a change has not ended, and its mover is silent: " + step,
              "./ensemble migrations resume %s; see %s".formatted(cache, PAGE));
      case NONE ->
          Finding.error(
              CHECK,
              cache,
              "a change has not ended, and has no mover: " + step,
              "./ensemble migrations resume %s; see %s".formatted(cache, PAGE));
    };
  }

  /** The finding when no cache is being changed. */
  public static Finding none() {
    return Finding.ok(CHECK, "all caches", "no cache is being changed");
  }
}
