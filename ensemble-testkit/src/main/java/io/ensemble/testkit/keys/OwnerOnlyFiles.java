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
 * Writes files that only the present user may read. The permissions are set before the first byte
 * is written; a file system without such permissions is refused.
 */
public final class OwnerOnlyFiles {

  private static final FileAttribute<Set<PosixFilePermission>> FILE = rights("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = rights("rwx------");

  private OwnerOnlyFiles() {}

  private static FileAttribute<Set<PosixFilePermission>> rights(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  /**
   * Writes a new file and replaces an existing one.
   *
   * @throws IOException if the file cannot be written, or the file system has no such permissions
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
   * Creates a directory in an existing one.
   *
   * @throws IOException if the directory cannot be created, or the file system has no such
   *     permissions
   */
  public static Path directory(Path directory) throws IOException {
    try {
      return Files.createDirectory(directory, DIRECTORY);
    } catch (UnsupportedOperationException e) {
      throw noRights(directory, e);
    }
  }

  /**
   * Creates a directory, or removes the permissions of all other users from an existing one. Other
   * users can then read nothing below it, whatever the permissions there are.
   *
   * @throws IOException if that fails, for example because another user owns the directory, or the
   *     file system has no such permissions
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
        "secrets require a file system with owner-only permissions; path=" + path, cause);
  }
}
