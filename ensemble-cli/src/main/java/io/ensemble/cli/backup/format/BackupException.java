package io.ensemble.cli.backup.format;

/** A backup that cannot be read or written: it is damaged, incomplete, in use, or unknown. */
public class BackupException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public BackupException(String message) {
    super(message);
  }

  public BackupException(String message, Throwable cause) {
    super(message, cause);
  }
}
