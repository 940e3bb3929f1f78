package io.ensemble.cli.rest;

import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/**
 * The token that a local service requires, made anew for each service, in a file that only its
 * owner can read until the service ends.
 */
public final class LocalToken implements AutoCloseable {

  private static final int BYTES = 32;
  private static final Set<OpenOption> FRESH =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private final String text;
  private final Path file;

  private LocalToken(String text, Path file) {
    this.text = text;
    this.file = file;
  }

  /**
   * Makes a token in {@code file}, and replaces an existing file.
   *
   * @throws CommandException if the file cannot be written
   */
  static LocalToken create(Path file) {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    try {
      Path directory = file.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.deleteIfExists(file); // Its owner and rights may be those of another.
      try (FileChannel channel = FileChannel.open(file, FRESH, ownersOnly())) {
        channel.write(ByteBuffer.wrap((text + '\n').getBytes(StandardCharsets.US_ASCII)));
      }
    } catch (IOException e) {
      throw new CommandException("cannot write the token to " + file + ": " + e, e);
    }
    return new LocalToken(text, file);
  }

  private static FileAttribute<?>[] ownersOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** The token itself, to be shown once to the starter of the service. */
  public String text() {
    return text;
  }

  public Path file() {
    return file;
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The token is no longer valid.
    }
  }

  @Override
  public String toString() {
    return "LocalToken[" + file + "]";
  }
}
