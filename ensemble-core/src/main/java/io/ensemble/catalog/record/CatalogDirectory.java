package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.record.CatalogException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a catalog: its lock, files that are replaced atomically, and the catalog's id,
 * which identifies the directory. A missing directory (moved, or not mounted, which may leave an
 * empty one in its place) is not taken for a catalog without caches.
 *
 * @param path the directory
 * @param id the catalog's id, the content of the file {@code .id}
 */
public record CatalogDirectory(Path path, String id) {

  private static final Duration LONGEST_LOCK = Duration.ofSeconds(5);
  private static final String ID = ".id";

  @FunctionalInterface
  interface IoAction<T> {
    T run() throws IOException;
  }

  /** Whether there is a catalog. */
  public static boolean isOne(Path path) {
    return Files.exists(path.resolve(ID));
  }

  /** Opens the directory at {@code path}; creates it and its id if they do not exist. */
  public static CatalogDirectory in(Path path) {
    try {
      Files.createDirectories(path);
      String id = storedId(path);
      return new CatalogDirectory(path, id != null ? id : locked(path, () -> firstId(path)));
    } catch (IOException e) {
      throw new CatalogException(
          Reason.UNAVAILABLE, "the catalog directory cannot be created; path=" + path + " " + e, e);
    }
  }

  private static String firstId(Path path) throws IOException {
    String present = storedId(path);
    if (present != null) {
      return present; // Another process acquired the lock first.
    }
    String id = CatalogIds.random();
    write(path.resolve(ID), (id + "\n").getBytes(UTF_8));
    return id;
  }

  private static @Nullable String storedId(Path path) throws IOException {
    byte[] text;
    try {
      text = Files.readAllBytes(path.resolve(ID));
    } catch (NoSuchFileException e) {
      return null;
    }
    String id = new String(text, UTF_8).trim();
    if (!CatalogIds.isOne(id)) {
      throw new CatalogException(
          Reason.CORRUPT, "the id of the catalog cannot be read; path=" + path.resolve(ID));
    }
    return id;
  }

  /** Fails unless the directory exists and still belongs to this catalog. */
  void check() throws IOException {
    String found = storedId(path);
    if (!id.equals(found)) {
      throw new CatalogException(
          Reason.UNAVAILABLE,
          "the catalog directory was removed or replaced; path=%s expected=%s found=%s"
              .formatted(path, id, found == null ? "none" : found));
    }
  }

  /** Runs {@code step} while no other process or thread runs one. */
  <T> T locked(IoAction<T> action) throws IOException {
    check();
    return locked(path, action);
  }

  private static <T> T locked(Path directory, IoAction<T> action) throws IOException {
    Path path = directory.resolve(".lock");
    try (FileChannel channel = FileChannel.open(path, CREATE, WRITE);
        FileLock lock = lock(channel, path)) {
      return action.run();
    }
  }

  private static FileLock lock(FileChannel channel, Path path) {
    FileLock lock = BlockingCall.poll(() -> tryLock(channel, path), LONGEST_LOCK);
    if (lock == null) {
      throw new CatalogException(
          Reason.UNAVAILABLE,
          "another process holds the lock of the catalog; "
              + "path="
              + path
              + " waited="
              + LONGEST_LOCK);
    }
    return lock;
  }

  private static @Nullable FileLock tryLock(FileChannel channel, Path path) {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // Another catalog object of this JVM holds the lock.
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  /** Replaces a file. Requires the lock, so that the name of the temporary file is unique. */
  static void write(Path file, byte[] bytes) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    ByteBuffer text = ByteBuffer.wrap(bytes);
    try (FileChannel channel = FileChannel.open(beside, CREATE, WRITE, TRUNCATE_EXISTING)) {
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(beside, file, ATOMIC_MOVE);
    force(file.resolveSibling("."));
  }

  /** Deletes a file. Requires the lock. */
  static void delete(Path file) throws IOException {
    Files.delete(file);
    force(file.resolveSibling("."));
  }

  /**
   * Makes a move or a deletion durable; where directories cannot be opened, the operating system
   * does so.
   */
  private static void force(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException e) {
      // The change is done and visible; only its survival of a power failure is less certain.
    }
  }

  static CatalogException unavailable(Path path, IOException e) {
    return new CatalogException(
        Reason.UNAVAILABLE, "the catalog cannot be read or written; path=" + path + " " + e, e);
  }
}
