package io.ensemble.versioning.drive;

/** Entries that a history named were gone each time that it was read. */
public final class HistoryReadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  HistoryReadException() {
    this("entries of the history were gone each of " + VersionReader.ATTEMPTS + " times");
  }

  /** With what was in the way. */
  public HistoryReadException(String message) {
    super(message);
  }
}
