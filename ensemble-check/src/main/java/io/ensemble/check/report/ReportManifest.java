package io.ensemble.check.report;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A file in a report's directory that lists the files and directories of this command, one name per
 * line. A run replaces and removes only these, and refuses a directory in which another file has a
 * name that the run needs.
 */
final class ReportManifest {

  static final String FILE = ".ensemble-check";

  private final Path directory;

  private ReportManifest(Path directory) {
    this.directory = directory;
  }

  /**
   * Creates the directory, and lists {@code names} as files of this command from now on.
   *
   * @throws CommandException with {@link ExitCode#USAGE} if one of them exists and is not listed,
   *     or if the directory cannot be written to
   */
  static ReportManifest claim(Path directory, Collection<String> names) {
    try {
      Files.createDirectories(directory);
      Set<String> own = listed(directory);
      List<String> others =
          names.stream().filter(name -> isThere(directory, name) && !own.contains(name)).toList();
      if (!others.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE,
            ("--report would overwrite files that were not written by check: %s in %s; give "
                    + "another directory, or move them")
                .formatted(String.join(", ", others), directory));
      }
      own.removeIf(name -> !isThere(directory, name));
      own.addAll(names);
      Files.write(directory.resolve(FILE), own);
      return new ReportManifest(directory);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "--report cannot be written: " + e + "; give another directory");
    }
  }

  /**
   * Lists only the existing files, so that a later file with one of the other names is not taken
   * for this command's.
   */
  void keepWhatIsThere() {
    try {
      Set<String> left = listed(directory);
      left.removeIf(name -> !isThere(directory, name));
      if (left.isEmpty()) {
        Files.deleteIfExists(directory.resolve(FILE));
      } else {
        Files.write(directory.resolve(FILE), left);
      }
    } catch (IOException e) {
      // The list then has superfluous names, of files that do not exist.
    }
  }

  private static Set<String> listed(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    return Files.exists(file) ? new TreeSet<>(Files.readAllLines(file)) : new TreeSet<>();
  }

  private static boolean isThere(Path directory, String name) {
    return Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
  }
}
