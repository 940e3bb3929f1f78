package io.ensemble.testkit.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An archive of the loaded classes of the server (class data sharing of the JVM). With it, a node
 * starts with two thirds of the work, or less. Without an archive, the first node to start writes
 * one when it ends in an orderly way; a lock file keeps the nodes of other processes from writing
 * another. The JVM ignores an archive that does not fit because the jars have changed. Thread-safe.
 */
final class ClassArchive {

  private static final String FIRST = "ensemble.servers.archive-first";

  /** The archives that this process has written, or failed to write. */
  private static final Set<Path> PROVIDED = new HashSet<>();

  /** The archives that a node of this process is to write, each with its lock. */
  private static final Map<Path, FileChannel> AWAITED = new HashMap<>();

  private final Path jars;
  private final Path file;
  private final Path fresh;

  ClassArchive(ServerLibrary library) {
    jars = library.directory();
    file = library.archive();
    fresh = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
  }

  /**
   * Writes the archive if there is none and the system property {@code
   * ensemble.servers.archive-first} requires it: starts a node that does nothing else. One of
   * several processes writes it, and the others wait. Tests set the property, because they start
   * and kill many nodes. Without an archive nodes start as well, only slower, so a failure is
   * reported and not retried.
   */
  static void provide(ProcessOptions options) {
    if (Boolean.getBoolean(FIRST)) {
      new ClassArchive(options.library()).provideOnce(options);
    }
  }

  private void provideOnce(ProcessOptions options) {
    synchronized (PROVIDED) {
      if (!PROVIDED.add(file)) {
        return;
      }
      try (FileChannel channel =
              FileChannel.open(
                  file.resolveSibling(file.getFileName() + ".first"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock ignored = channel.lock()) {
        if (!isFit()) {
          ProcessFederation.startAtOnce(
                  ProcessOptions.in(file.resolveSibling("archive-node"), options.library())
                      .withSiteNames(List.of("archive"))
                      .withNodesPerSite(1))
              .close();
        }
      } catch (IOException | UncheckedIOException | IllegalStateException e) {
        options.progress().accept("nodes are started without a class archive: " + e);
      }
    }
  }

  /** The JVM options for one node: to read the archive, to write it, or neither. */
  List<String> option() {
    if (isFit()) {
      return List.of("-XX:SharedArchiveFile=" + file, "-Xshare:auto", "-Xlog:cds=off");
    }
    synchronized (AWAITED) {
      return isWriter()
          ? List.of("-XX:ArchiveClassesAtExit=" + fresh, "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
          : List.of();
    }
  }

  /** Whether a node of this process is to write the archive; no other process has the lock then. */
  private boolean isWriter() {
    if (AWAITED.containsKey(file)) {
      return false;
    }
    try {
      Files.createDirectories(file.getParent());
      if (!Files.isWritable(file.getParent())) {
        return false;
      }
      FileChannel lock =
          FileChannel.open(
              file.resolveSibling(file.getFileName() + ".lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      // Another process may just have published the archive and released its lock.
      if (isLocked(lock) && !isFit()) {
        AWAITED.put(file, lock);
        return true;
      }
      lock.close();
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether this process has the lock now; false if another class loader of this process has it.
   */
  private static boolean isLocked(FileChannel lock) {
    try {
      return lock.tryLock() != null;
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  /** Whether the archive is newer than the jars. */
  private boolean isFit() {
    try {
      return Files.exists(file)
          && Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(jars)) >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Publishes the archive after an orderly exit of its node, else deletes it; releases the lock.
   */
  void publishOrDelete(List<String> option, boolean orderly) {
    if (option.stream().noneMatch(word -> word.startsWith("-XX:ArchiveClassesAtExit"))) {
      return;
    }
    try {
      if (orderly && Files.exists(fresh)) {
        Files.move(fresh, file, ATOMIC_MOVE, REPLACE_EXISTING);
      } else {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException e) {
      // The next federation writes it.
    }
    synchronized (AWAITED) {
      try (FileChannel lock = AWAITED.remove(file)) {
        // Another process may write the archive now, if this process has not.
      } catch (IOException e) {
        // The lock ends with this process.
      }
    }
  }
}
