package io.ensemble.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** The files of a run in its directory. */
final class ResultFiles implements AutoCloseable {

  private static final String REPORT = "result.json";
  private static final String ALL =
      "{" + REPORT + ",load.txt,load.log,load-*.hdr,run.txt,run.log,run-*.hdr}";

  private final Path directory;
  private final boolean kept;

  private ResultFiles(Path directory, boolean kept) {
    this.directory = directory;
    this.kept = kept;
  }

  /**
   * The directory {@code wanted}, created if absent. Result files of an earlier run are removed, so
   * that they cannot be taken for this one's. Other files stay.
   *
   * @param wanted null for a directory that is removed on close
   */
  static ResultFiles in(@Nullable Path wanted) throws IOException {
    if (wanted == null) {
      return new ResultFiles(Files.createTempDirectory("ycsb"), false);
    }
    Files.createDirectories(wanted);
    try (DirectoryStream<Path> earlier = Files.newDirectoryStream(wanted, ALL)) {
      for (Path file : earlier) {
        Files.delete(file);
      }
    }
    return new ResultFiles(wanted, true);
  }

  /** The directory of YCSB's texts and logs. */
  Path directory() {
    return directory;
  }

  /**
   * Writes the report, the last of the files: a directory with a report shows that the run has
   * finished.
   */
  void report(String json) throws IOException {
    if (kept) {
      Files.writeString(directory.resolve(REPORT), json + System.lineSeparator());
    }
  }

  @Override
  public void close() throws IOException {
    if (!kept) {
      delete(directory);
    }
  }

  private static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path done, @Nullable IOException failure)
              throws IOException {
            Files.delete(done);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
