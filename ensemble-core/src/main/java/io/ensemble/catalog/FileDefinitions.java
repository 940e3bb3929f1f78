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
import org.jspecify.annotations.Nullable;

/**
 * A catalog in a directory, one text file for each cache, which the processes of one machine may
 * share. Thread-safe.
 *
 * <p>A change is written to a file beside, forced to disk, and moved over the old one in one step:
 * readers need no lock and see the old record or the new one, whatever crashes, and a full disk
 * loses nothing. Changes hold a lock on the file {@code .lock}; the operating system releases it
 * with its process. A file that cannot be read is reported with its path and never overwritten.
 * While the directory is away, or another is in its place, every call fails with {@link
 * Reason#UNAVAILABLE}: no cache counts as deleted for that. A copy of the directory has the same
 * {@link #id()}; never use it beside the original.
 *
 * <p>Files are touched on a thread of this object, which ends when it has nothing to do; stages
 * complete on it.
 */
public final class FileDefinitions implements Definitions {

  private static final String SUFFIX = ".cache";
  private static final int LONGEST_QUEUE = 1024;

  private final CatalogDirectory directory;
  private final ThreadPoolExecutor worker;

  private FileDefinitions(CatalogDirectory directory) {
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

  /**
   * The catalog in {@code directory}, which is made if it is not there.
   *
   * @throws CatalogException if it cannot be made, or is not a directory
   */
  public static FileDefinitions in(Path directory) {
    return new FileDefinitions(CatalogDirectory.in(directory));
  }

  @Override
  public CompletionStage<String> id() {
    return CompletableFuture.completedFuture(directory.id());
  }

  @Override
  public CompletionStage<StoredDefinition> create(StoredDefinition wanted) {
    String cache = wanted.definition().name();
    return changing(
        cache,
        present -> {
          if (present == null) {
            write(wanted);
            return wanted;
          }
          if (!present.definition().equals(wanted.definition())) {
            throw new CacheExistsException(present.definition(), wanted.definition());
          }
          return present;
        });
  }

  @Override
  public CompletionStage<Optional<StoredDefinition>> get(String cache) {
    return onWorker(() -> Optional.ofNullable(read(cache)));
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
              StoredDefinition stored = read(file);
              if (stored != null) {
                names.add(stored.definition().name());
              }
            }
          }
          return names;
        });
  }

  @Override
  public CompletionStage<Boolean> replace(StoredDefinition changed) {
    return changing(
        changed.definition().name(),
        present -> {
          if (present == null || !present.isBefore(changed)) {
            return false;
          }
          write(changed);
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> delete(StoredDefinition known) {
    String cache = known.definition().name();
    return changing(
        cache,
        present -> {
          if (present == null || !present.isSameRecord(known)) {
            return false;
          }
          CatalogDirectory.delete(file(cache));
          return true;
        });
  }

  private Path file(String cache) {
    return directory.path().resolve(FileNames.of(cache) + SUFFIX);
  }

  private @Nullable StoredDefinition read(String cache) throws IOException {
    StoredDefinition stored = read(file(cache));
    if (stored == null) {
      directory.check(); // No record, or no directory?
      stored = read(file(cache)); // It may have been away for the first look.
    }
    if (stored != null && !stored.definition().name().equals(cache)) {
      throw new CatalogException(
          Reason.CORRUPT,
          "a catalog file is of another cache; wanted=%s found=%s path=%s"
              .formatted(cache, stored.definition().name(), file(cache)));
    }
    return stored;
  }

  private static @Nullable StoredDefinition read(Path file) throws IOException {
    try {
      return DefinitionText.read(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IllegalArgumentException e) {
      throw new CatalogException(
          Reason.CORRUPT, "a catalog file cannot be read: " + e.getMessage() + "; path=" + file, e);
    }
  }

  private void write(StoredDefinition stored) throws IOException {
    CatalogDirectory.write(file(stored.definition().name()), DefinitionText.write(stored));
  }

  private <T> CompletionStage<T> changing(String cache, Change<T> change) {
    return onWorker(() -> directory.locked(() -> change.apply(read(cache))));
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

  @FunctionalInterface
  private interface Change<T> {
    T apply(@Nullable StoredDefinition present) throws IOException;
  }
}
