package io.ensemble.versioning.drive;

/** Entries that a history named were gone each time that it was read. */
public final class ReadingFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ReadingFailedException() {
    this("entries of the history were gone each of " + Reading.ATTEMPTS + " times");
  }

  /** With what was in the way. */
  public ReadingFailedException(String message) {
    super(message);
  }
}
