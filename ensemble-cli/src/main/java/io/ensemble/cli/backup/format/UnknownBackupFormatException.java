package io.ensemble.cli.backup.format;

/** A backup of a format that this version of Ensemble cannot read. Nothing was changed. */
public final class UnknownBackupFormatException extends BackupException {

  private static final long serialVersionUID = 1L;

  /**
   * @param found the version of the format, or its bytes as text
   */
  public UnknownBackupFormatException(String where, String found) {
    super(
        "backup format must be %d; got %s; %s; use the version of Ensemble that wrote it"
            .formatted(BackupManifest.FORMAT, found, where));
  }
}
