package io.ensemble.cli.backup;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupDirectory;
import io.ensemble.cli.backup.format.BackupStore;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** Where a backup is. */
public final class BackupStoreOption {

  @Parameters(
      paramLabel = "DIR",
      description = "Directory of the backup, which only its owner can read.")
  String place = "";

  /** The place; nothing is read or written yet. The caller closes it. */
  BackupStore open() {
    try {
      return new BackupDirectory(Path.of(place));
    } catch (InvalidPathException e) {
      throw new CommandException(ExitCode.USAGE, "no name of a directory: " + e.getMessage());
    }
  }
}
