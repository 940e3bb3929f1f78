package io.ensemble.cli.backup.format;

/**
 * The store of a backup refuses a request, or does not answer. This does not mean that the backup
 * is damaged.
 */
public final class BackupStoreException extends BackupException {

  private static final long serialVersionUID = 1L;

  public BackupStoreException(String message) {
    super(message);
  }

  public BackupStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
