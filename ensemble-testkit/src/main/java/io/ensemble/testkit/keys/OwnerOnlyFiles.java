package io.ensemble.testkit.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Writes what only this user may read. The rights are there before the first byte is; a file system
 * without such rights is refused.
 */
public final class OwnerOnlyFiles {

  private static final FileAttribute<Set<PosixFilePermission>> FILE = rights("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = rights("rwx------");

  private OwnerOnlyFiles() {}

  private static FileAttribute<Set<PosixFilePermission>> rights(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  /**
   * Writes a new file in place of what may be there.
   *
   * @throws IOException if it cannot be, or rights mean nothing there
   */
  public static void write(Path file, byte[] bytes) throws IOException {
    Files.deleteIfExists(file);
    try (SeekableByteChannel channel =
            Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FILE);
        var out = Channels.newOutputStream(channel)) {
      out.write(bytes);
    } catch (UnsupportedOperationException e) {
      throw noRights(file, e);
    }
  }

  /** As the other method, in UTF-8. */
  public static void write(Path file, String text) throws IOException {
    write(file, text.getBytes(UTF_8));
  }

  /**
   * Makes a directory that is not there yet, in one that is.
   *
   * @throws IOException if it cannot be, or rights mean nothing there
   */
  public static Path directory(Path directory) throws IOException {
    try {
      return Files.createDirectory(directory, DIRECTORY);
    } catch (UnsupportedOperationException e) {
      throw noRights(directory, e);
    }
  }

  /**
   * Makes a directory, or takes one that is there from all others: nobody reads what is below it,
   * whatever its rights are.
   *
   * @throws IOException if it cannot be, as where it is somebody else's, or rights mean nothing
   *     there
   */
  public static Path entered(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    Path parent = absolute.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      return directory(absolute);
    } catch (FileAlreadyExistsException there) {
      try {
        return Files.setPosixFilePermissions(absolute, DIRECTORY.value());
      } catch (UnsupportedOperationException e) {
        throw noRights(directory, e);
      }
    }
  }

  private static IOException noRights(Path path, UnsupportedOperationException cause) {
    return new IOException(
        "secrets want a file system on which a file can be its owner's alone; path=" + path, cause);
  }
}
