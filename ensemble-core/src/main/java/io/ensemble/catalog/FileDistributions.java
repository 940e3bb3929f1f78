package io.ensemble.catalog;

import io.ensemble.catalog.CatalogException.Reason;
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

/**
 * Distributed caches in the directory of a {@link FileDefinitions}, one file for each, changed
 * under the same lock and in the same way. Files are touched on a thread of this object, which ends
 * when it has nothing to do; stages complete on it. Thread-safe.
 */
public final class FileDistributions implements Distributions {

  private static final String SUFFIX = ".distributed";
  private static final int LONGEST_QUEUE = 1024;

  private final CatalogDirectory directory;
  private final ThreadPoolExecutor worker;

  private FileDistributions(CatalogDirectory directory) {
    this.directory = directory;
    this.worker =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(LONGEST_QUEUE),
            task -> {
              Thread thread = new Thread(task, "ensemble-distributions");
              thread.setDaemon(true);
              return thread;
            });
    worker.allowCoreThreadTimeOut(true);
  }

  /**
   * The distributed caches in {@code directory}, which is made if it is not there.
   *
   * @throws CatalogException if it cannot be made, or is not a directory
   */
  public static FileDistributions in(Path directory) {
    return new FileDistributions(CatalogDirectory.in(directory));
  }

  @Override
  public CompletionStage<StoredDistribution> create(StoredDistribution wanted) {
    String cache = wanted.definition().name();
    return changing(
        () -> {
          Optional<StoredDistribution> present = read(cache);
          if (present.isEmpty()) {
            CatalogDirectory.write(file(cache), DistributionText.write(wanted));
            return wanted;
          }
          if (!present.get().definition().equals(wanted.definition())) {
            throw new DistributionExistsException(present.get().definition(), wanted.definition());
          }
          return present.get();
        });
  }

  @Override
  public CompletionStage<Optional<StoredDistribution>> get(String cache) {
    return onWorker(() -> read(cache));
  }

  @Override
  public CompletionStage<SortedSet<String>> list() {
    return onWorker(
        () -> {
          SortedSet<String> names = new TreeSet<>();
          directory.check();
          try (DirectoryStream<Path> files =
              Files.newDirectoryStream(directory.path(), "*" + SUFFIX)) {
            for (Path file : files) {
              parsed(file).ifPresent(stored -> names.add(stored.definition().name()));
            }
          }
          return names;
        });
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDistribution known) {
    String cache = known.definition().name();
    return changing(
        () -> {
          if (!read(cache).equals(Optional.of(known))) {
            return false;
          }
          CatalogDirectory.delete(file(cache));
          return true;
        });
  }

  private Path file(String cache) {
    return directory.path().resolve(FileNames.of(cache) + SUFFIX);
  }

  private Optional<StoredDistribution> read(String cache) throws IOException {
    Optional<StoredDistribution> stored = parsed(file(cache));
    if (stored.isEmpty()) {
      directory.check(); // No record, or no directory?
      stored = parsed(file(cache)); // It may have been away for the first look.
    }
    if (stored.isPresent() && !stored.get().definition().name().equals(cache)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a catalog file is of another cache; wanted=%s found=%s path=%s"
              .formatted(cache, stored.get().definition().name(), file(cache)));
    }
    return stored;
  }

  private static Optional<StoredDistribution> parsed(Path file) throws IOException {
    try {
      return Optional.of(DistributionText.read(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT, "a catalog file cannot be read: " + e.getMessage() + "; path=" + file, e);
    }
  }

  private <T> CompletionStage<T> changing(CatalogDirectory.Step<T> change) {
    return onWorker(() -> directory.locked(change));
  }

  private <T> CompletionStage<T> onWorker(CatalogDirectory.Step<T> step) {
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
}
