package io.ensemble.check.report;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a run keeps its files: the directory that its user wants, or a temporary one, which goes
 * when it is closed unless it is to be kept. What client processes wrote is in a directory of its
 * own inside, which goes when the history has been put together from it; so is what sites that are
 * processes keep. Of both only the logs stay, and only of a run that failed. Nothing goes before
 * what is to be known of the run is written, and nothing ever that no run has made.
 */
public final class WorkDirectory implements AutoCloseable {
  private static final String PARTS = "clients";
  private static final List<String> CATALOGS = List.of("definitions", "catalog");
  private static final String SITES = "sites";
  private static final int NODE_DEPTH = 3;

  private final Path directory;
  private final ReportManifest manifest;
  private final boolean temporary;
  private boolean kept;
  private boolean ended;
  private boolean partsKept = true;
  private boolean passed;

  private WorkDirectory(Path directory, ReportManifest manifest, boolean temporary) {
    this.directory = directory;
    this.manifest = manifest;
    this.temporary = temporary;
    this.kept = !temporary;
  }

  /**
   * The directory, without what an earlier run has worked with there. An earlier report stays until
   * this run's is written over it, without its summary.
   *
   * @param wanted null for a temporary one
   * @throws CommandException with {@link ExitCode#USAGE} if it cannot be written to, or has files
   *     of such names that no run has made
   */
  public static WorkDirectory make(@Nullable Path wanted) {
    try {
      Path directory =
          wanted == null
              ? Files.createTempDirectory("ensemble-check")
              : wanted.toAbsolutePath().normalize();
      List<String> names = new ArrayList<>(ReportFiles.NAMES);
      names.add(PARTS);
      names.add(SITES);
      names.addAll(CATALOGS);
      ReportManifest manifest = ReportManifest.claim(directory, names);
      Files.deleteIfExists(directory.resolve(ReportFiles.SUMMARY));
      remove(directory.resolve(PARTS));
      remove(directory.resolve(SITES));
      CATALOGS.forEach(catalog -> remove(directory.resolve(catalog)));
      Files.createDirectories(directory.resolve(PARTS));
      return new WorkDirectory(directory, manifest, wanted == null);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot keep a report in " + wanted + ": " + e + "; give --report DIR");
    }
  }

  /** A file or directory in it. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  /** Where sites that are processes keep what they hold, and their logs. */
  public Path sites() {
    return directory.resolve(SITES);
  }

  /** Where the clients write. */
  public Path parts() {
    return directory.resolve(PARTS);
  }

  /**
   * The run has come to its end. Until {@link #written} nothing of it goes.
   *
   * @return where a report is to be kept; null for nowhere
   */
  public @Nullable Path keep(boolean ok) {
    ended = true;
    passed = ok;
    kept = kept || !ok;
    return kept ? directory : null;
  }

  /** All that is to be known of the run is written, so what it was made from may go. */
  public void written() {
    partsKept = false;
  }

  @Override
  public void close() {
    if (ended && partsKept) {
      return;
    }
    removeWork();
    manifest.keepWhatIsThere();
  }

  private void removeWork() {
    if (passed) {
      remove(sites());
    } else {
      removeData();
    }
    boolean empty = isEmpty(directory.resolve(PARTS)) && !Files.exists(sites());
    if (temporary && !kept && (!partsKept || empty)) {
      remove(directory);
      return;
    }
    if (!partsKept) {
      if (passed) {
        remove(directory.resolve(PARTS));
      } else {
        removeAllButLogs(directory.resolve(PARTS));
      }
    }
    CATALOGS.forEach(catalog -> remove(directory.resolve(catalog)));
  }

  /** What nodes held is large and says little; their logs may say why the run failed. */
  private void removeData() {
    if (!Files.isDirectory(sites())) {
      return;
    }
    try (Stream<Path> all = Files.walk(sites(), NODE_DEPTH)) {
      all.filter(path -> path.endsWith("data")).toList().forEach(WorkDirectory::remove);
    } catch (IOException | UncheckedIOException e) {
      // As below.
    }
  }

  /** The logs of clients that had nothing to log go too. */
  private static void removeAllButLogs(Path parts) {
    try (Stream<Path> all = Files.list(parts)) {
      for (Path file : all.toList()) {
        if (!file.toString().endsWith(".log") || Files.size(file) == 0) {
          remove(file);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // As below.
    }
    if (isEmpty(parts)) {
      remove(parts);
    }
  }

  private static boolean isEmpty(Path parts) {
    try (Stream<Path> all = Files.list(parts)) {
      return all.findAny().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  public static void remove(Path root) {
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
