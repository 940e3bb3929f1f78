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
 * The directory for the files of a run: one that its user chooses, or a temporary one, which is
 * removed when it is closed unless it is to be kept. The files of client processes are in a
 * directory of their own inside, which is removed when the history has been assembled from it. The
 * same holds for the data of sites that are processes. Of both only the logs stay, and only of a
 * run that failed. No file is removed before the results of the run are written, and no file of
 * another origin is ever removed.
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
   * Prepares the directory, and removes the working files of an earlier run. An earlier report
   * stays, without its summary, until the report of this run replaces it.
   *
   * @param wanted null for a temporary one
   * @throws CommandException with {@link ExitCode#USAGE} if it cannot be written to, or has files
   *     of other origin with such names
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
          ExitCode.USAGE, "cannot write a report to " + wanted + ": " + e + "; give --report DIR");
    }
  }

  /** A file or directory in it. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  /** The directory of data and logs of sites that are processes. */
  public Path sites() {
    return directory.resolve(SITES);
  }

  /** The directory of the clients' files. */
  public Path parts() {
    return directory.resolve(PARTS);
  }

  /**
   * Ends the run. Until {@link #written} none of its files is removed.
   *
   * @return the directory in which to keep a report; null for none
   */
  public @Nullable Path keep(boolean ok) {
    ended = true;
    passed = ok;
    kept = kept || !ok;
    return kept ? directory : null;
  }

  /** All results of the run are written, so its working files may be removed. */
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

  /** The data of nodes is large and of little use; their logs may show why the run failed. */
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

  /** Removes also the empty logs of clients. */
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
      // The remaining files are few and in a directory of the user or of the system.
    }
  }
}
