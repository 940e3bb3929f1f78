package io.ensemble.testkit.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a federation, locked against others until it is closed. If the federation is
 * secured, other users cannot enter the directory. It records the names of the sites and their
 * number of nodes: with another shape, entries would be missing, or removed entries would reappear.
 */
final class DataDirectory implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long ROOM_BYTES_PER_NODE = 64L << 20;

  private final FileChannel held;
  private boolean kept;

  private DataDirectory(FileChannel held) {
    this.held = held;
  }

  /** Whether a federation of the same shape has persisted there. */
  boolean isKept() {
    return kept;
  }

  /**
   * The shape of the federation that the directory belongs to.
   *
   * @param security null in files of versions without security
   */
  private record FederationShape(
      int version,
      List<String> sites,
      int nodes,
      boolean persistent,
      @Nullable ProcessSecurity security) {

    FederationShape {
      security = security == null ? ProcessSecurity.OPEN : security;
    }
  }

  /**
   * Locks the directory.
   *
   * @throws IllegalStateException if another federation runs there, another shape has been stored
   *     there, or the disk is full
   * @throws UncheckedIOException if no file can be written there
   */
  static DataDirectory hold(ProcessOptions options) {
    Path directory = options.directory();
    try {
      if (options.security() == ProcessSecurity.OPEN) {
        Files.createDirectories(directory);
      } else {
        OwnerOnlyFiles.entered(directory); // The umask sets the rights of the servers' files.
      }
      FileChannel channel = FileChannel.open(directory.resolve(".lock"), CREATE, WRITE);
      DataDirectory data = new DataDirectory(channel);
      try {
        if (tryLock(channel) == null) {
          throw new IllegalStateException("another federation is running in " + directory);
        }
        requireRoom(options);
        data.kept = matches(options);
        return data;
      } catch (IOException | RuntimeException e) {
        data.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot create a federation in %s: %s".formatted(directory, e), e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  private static void requireRoom(ProcessOptions options) throws IOException {
    long wanted = ROOM_BYTES_PER_NODE * options.nodesPerSite() * options.siteNames().size();
    long free = Files.getFileStore(options.directory()).getUsableSpace();
    if (free < wanted) {
      throw new IllegalStateException(
          "a federation of %d nodes requires %d MB of free disk space; there are %d; directory=%s"
              .formatted(
                  options.nodesPerSite() * options.siteNames().size(),
                  wanted >> 20,
                  free >> 20,
                  options.directory()));
    }
  }

  private static boolean matches(ProcessOptions options) throws IOException {
    Path file = options.directory().resolve("federation.json");
    FederationShape wanted =
        new FederationShape(
            1,
            options.siteNames(),
            options.nodesPerSite(),
            options.persistent(),
            options.security());
    if (Files.exists(file)) {
      FederationShape there = read(file);
      if (there.equals(wanted)) {
        return there.persistent();
      }
      if (there.persistent()) {
        throw new IllegalStateException(
            "%s contains sites %s of %d nodes%s; requested were %s of %d%s%s"
                .formatted(
                    options.directory(),
                    there.sites(),
                    there.nodes(),
                    securityText(there.security(), wanted),
                    wanted.sites(),
                    wanted.nodes(),
                    securityText(wanted.security(), there),
                    wanted.persistent() ? "" : ", in memory"));
      }
    }
    Path fresh = options.directory().resolve("federation.json.new");
    Files.write(fresh, JSON.writeValueAsBytes(wanted));
    Files.move(fresh, file, ATOMIC_MOVE, REPLACE_EXISTING);
    return false;
  }

  private static String securityText(@Nullable ProcessSecurity security, FederationShape other) {
    return security == null || security == other.security() ? "" : " with security " + security;
  }

  private static FederationShape read(Path file) throws IOException {
    try {
      return JSON.readValue(file.toFile(), FederationShape.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          file + " does not describe a federation: " + e.getOriginalMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      held.close();
    } catch (IOException e) {
      // The lock ends with the process at the latest.
    }
  }
}
