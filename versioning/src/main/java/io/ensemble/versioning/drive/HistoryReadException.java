package io.ensemble.versioning.drive;

/** Entries that a history referenced were missing at each read. */
public final class HistoryReadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  HistoryReadException() {
    this("entries of the history were missing at each of " + VersionReader.ATTEMPTS + " attempts");
  }

  /** The message says what prevented the operation. */
  public HistoryReadException(String message) {
    super(message);
  }
}
