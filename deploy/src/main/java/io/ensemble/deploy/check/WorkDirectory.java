package io.ensemble.deploy.check;

import io.ensemble.deploy.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a run keeps its files: the directory that its user wants, or a temporary one, which goes
 * when it is closed unless it is to be kept. What client processes wrote is in a directory of its
 * own inside, which goes when the history has been put together from it.
 */
public final class WorkDirectory implements AutoCloseable {
  private static final String PARTS = "clients";
  private static final String DEFINITIONS = "definitions";

  private final Path directory;
  private final boolean temporary;
  private boolean kept;
  private boolean partsKept = true;

  private WorkDirectory(Path directory, boolean temporary) {
    this.directory = directory;
    this.temporary = temporary;
    this.kept = !temporary;
  }

  /**
   * The directory, without what an earlier run has left there.
   *
   * @param wanted null for a temporary one
   * @throws CommandFailure if it cannot be had
   */
  public static WorkDirectory make(@Nullable Path wanted) {
    try {
      Path directory =
          wanted == null
              ? Files.createTempDirectory("ensemble-check")
              : wanted.toAbsolutePath().normalize();
      ReportFiles.prepare(directory);
      remove(directory.resolve(PARTS));
      Files.createDirectories(directory.resolve(PARTS));
      return new WorkDirectory(directory, wanted == null);
    } catch (IOException e) {
      throw new CommandFailure("cannot keep a report in " + wanted + ": " + e, e);
    }
  }

  /** A file or directory in it. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  /** Where the clients write. */
  public Path parts() {
    return directory.resolve(PARTS);
  }

  /**
   * The run has come to its end: the history stands elsewhere, so the parts may go.
   *
   * @return where a report is to be kept; null for nowhere
   */
  public @Nullable Path keep(boolean ok) {
    partsKept = false;
    kept = kept || !ok;
    return kept ? directory : null;
  }

  @Override
  public void close() {
    if (temporary && !kept && (!partsKept || isEmpty(directory.resolve(PARTS)))) {
      remove(directory);
      return;
    }
    if (!partsKept) {
      remove(directory.resolve(PARTS));
    }
    remove(directory.resolve(DEFINITIONS));
  }

  private static boolean isEmpty(Path parts) {
    try (Stream<Path> all = Files.list(parts)) {
      return all.findAny().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private static void remove(Path root) {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException | UncheckedIOException e) {
      // What stays is a few files in a directory that its user knows of, or the system's.
    }
  }
}
