package io.ensemble.catalog.record;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.site.Bytes;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Records as files of a {@link CatalogDirectory}, read and written on a thread of this object. */
public final class FileRecords implements CatalogRecords {

  private static final int LONGEST_QUEUE = 1024;

  private final CatalogDirectory directory;
  private final ThreadPoolExecutor worker;

  public FileRecords(CatalogDirectory directory) {
    this.directory = directory;
    this.worker =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(LONGEST_QUEUE),
            task -> {
              Thread thread = new Thread(task, "ensemble-definitions");
              thread.setDaemon(true);
              return thread;
            });
    worker.allowCoreThreadTimeOut(true);
  }

  @Override
  public CompletionStage<String> id() {
    return CompletableFuture.completedFuture(directory.id());
  }

  @Override
  public CompletionStage<Optional<VersionedRecord>> get(Kind kind, String name) {
    return onWorker(() -> read(file(kind, name)));
  }

  @Override
  public CompletionStage<SortedSet<String>> list(Kind kind) {
    return onWorker(
        () -> {
          SortedSet<String> names = new TreeSet<>();
          String suffix = suffix(kind);
          directory.check();
          try (DirectoryStream<Path> files =
              Files.newDirectoryStream(directory.path(), "*" + suffix)) {
            for (Path file : files) {
              String name = file.getFileName().toString();
              names.add(FileNames.cache(name.substring(0, name.length() - suffix.length())));
            }
          }
          return names;
        });
  }

  @Override
  public CompletionStage<Boolean> create(Kind kind, String name, Bytes text) {
    return changing(
        kind, name, Optional.empty(), file -> CatalogDirectory.write(file, text.array()));
  }

  @Override
  public CompletionStage<Boolean> replace(
      Kind kind, String name, VersionedRecord seen, Bytes text) {
    return changing(
        kind, name, Optional.of(seen), file -> CatalogDirectory.write(file, text.array()));
  }

  @Override
  public CompletionStage<Boolean> delete(Kind kind, String name, VersionedRecord seen) {
    return changing(kind, name, Optional.of(seen), CatalogDirectory::delete);
  }

  @Override
  public String where(Kind kind, String name) {
    return file(kind, name).toString();
  }

  private Path file(Kind kind, String name) {
    return directory.path().resolve(FileNames.of(name) + suffix(kind));
  }

  private static String suffix(Kind kind) {
    return "." + kind.word();
  }

  private Optional<VersionedRecord> read(Path file) throws IOException {
    Optional<VersionedRecord> held = whole(file);
    if (held.isEmpty()) {
      directory.check(); // Distinguishes a missing record from a missing directory.
      held = whole(file); // The directory may have been missing during the first read.
    }
    return held;
  }

  private static Optional<VersionedRecord> whole(Path file) throws IOException {
    try {
      return Optional.of(new VersionedRecord(Bytes.of(Files.readAllBytes(file)), 0));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Changes the file if its content is {@code wanted}. */
  private CompletionStage<Boolean> changing(
      Kind kind, String name, Optional<VersionedRecord> wanted, FileOperation operation) {
    Path file = file(kind, name);
    return onWorker(
        () ->
            directory.locked(
                () -> {
                  if (!read(file).equals(wanted)) {
                    return false;
                  }
                  operation.of(file);
                  return true;
                }));
  }

  private <T> CompletionStage<T> onWorker(CatalogDirectory.IoAction<T> step) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      worker.execute(
          () -> {
            try {
              result.complete(step.run());
            } catch (IOException e) {
              result.completeExceptionally(CatalogDirectory.unavailable(directory.path(), e));
            } catch (RuntimeException e) {
              result.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          new CatalogException(
              Reason.UNAVAILABLE, "the catalog is busy; waiting=" + LONGEST_QUEUE, e));
    }
    return result;
  }

  @FunctionalInterface
  private interface FileOperation {
    void of(Path file) throws IOException;
  }
}
