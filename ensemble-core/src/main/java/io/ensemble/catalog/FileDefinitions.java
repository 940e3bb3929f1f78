package io.ensemble.catalog;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.ensemble.cache.Blocking;
import io.ensemble.catalog.CatalogException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
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
 *
 * <p>Files are touched on a thread of this object, which ends when it has nothing to do; stages
 * complete on it.
 */
public final class FileDefinitions implements Definitions {

  private static final String SUFFIX = ".cache";
  private static final Duration LONGEST_LOCK = Duration.ofSeconds(5);
  private static final int LONGEST_QUEUE = 1024;

  private final Path directory;
  private final ThreadPoolExecutor worker;

  private FileDefinitions(Path directory) {
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
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new CatalogException(
          Reason.UNAVAILABLE, "a catalog needs a directory; path=" + directory + " " + e, e);
    }
    return new FileDefinitions(directory);
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
          try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
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
          Files.delete(file(cache));
          forceDirectory();
          return true;
        });
  }

  private Path file(String cache) {
    return directory.resolve(FileNames.of(cache) + SUFFIX);
  }

  private @Nullable StoredDefinition read(String cache) throws IOException {
    StoredDefinition stored = read(file(cache));
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

  /** Under the lock, so that the name of the file beside is nobody else's. */
  private void write(StoredDefinition stored) throws IOException {
    Path file = file(stored.definition().name());
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    ByteBuffer text = ByteBuffer.wrap(DefinitionText.write(stored));
    try (FileChannel channel = FileChannel.open(beside, CREATE, WRITE, TRUNCATE_EXISTING)) {
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(beside, file, ATOMIC_MOVE);
    forceDirectory();
  }

  /** Makes a move or a deletion last; where directories cannot be opened the system does so. */
  private void forceDirectory() {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException e) {
      // The change is done and visible; only its survival of a power cut is less sure.
    }
  }

  private <T> CompletionStage<T> changing(String cache, Change<T> change) {
    return onWorker(
        () -> {
          Path path = directory.resolve(".lock");
          try (FileChannel channel = FileChannel.open(path, CREATE, WRITE);
              FileLock lock = locked(channel, path)) {
            return change.apply(read(cache));
          }
        });
  }

  private static FileLock locked(FileChannel channel, Path path) {
    FileLock lock = Blocking.poll(() -> tryLock(channel, path), LONGEST_LOCK);
    if (lock == null) {
      throw new CatalogException(
          Reason.UNAVAILABLE,
          "somebody else holds the catalog's lock; path=" + path + " waited=" + LONGEST_LOCK);
    }
    return lock;
  }

  private static @Nullable FileLock tryLock(FileChannel channel, Path path) {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // Another catalog object of this JVM has it.
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  private <T> CompletionStage<T> onWorker(Step<T> step) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      worker.execute(
          () -> {
            try {
              result.complete(step.run());
            } catch (IOException e) {
              result.completeExceptionally(unavailable(directory, e));
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

  private static CatalogException unavailable(Path path, IOException e) {
    return new CatalogException(
        Reason.UNAVAILABLE, "the catalog cannot be read or written; path=" + path + " " + e, e);
  }

  @FunctionalInterface
  private interface Step<T> {
    T run() throws IOException;
  }

  @FunctionalInterface
  private interface Change<T> {
    T apply(@Nullable StoredDefinition present) throws IOException;
  }
}
