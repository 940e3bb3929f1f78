package io.ensemble.site.hotrod.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A password by reference: the place that holds it is read on each request, so that a changed
 * password is used from the next connection on. Never reveals it. Thread-safe.
 */
public final class Secret implements Supplier<char[]> {

  private static final int LONGEST_BYTES = 4096;

  private final String where;
  private final Supplier<char[]> source;

  private Secret(String where, Supplier<char[]> source) {
    this.where = where;
    this.source = source;
  }

  /**
   * The content of {@code file} in UTF-8, without a final end of line. {@link #get} refuses a file
   * that every user can read or change, as {@link SecretFiles} says.
   */
  public static Secret inFile(Path file) {
    return new Secret("file=" + file, () -> read(file));
  }

  /** The value of the environment variable {@code name}. */
  public static Secret inVariable(String name) {
    return new Secret("variable=" + name, () -> characters(System.getenv(name)));
  }

  /**
   * The password, in an array of its own.
   *
   * @throws IllegalStateException naming the place, if there is none, it is empty, or its file is
   *     refused
   */
  @Override
  public char[] get() {
    char[] found = source.get();
    if (found.length == 0) {
      throw new IllegalStateException("a password is required; got none; " + where);
    }
    return found;
  }

  private static char[] characters(@Nullable String value) {
    return value == null ? new char[0] : value.toCharArray();
  }

  private static char[] read(Path file) {
    SecretFiles.check(file);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST_BYTES + 1);
      if (bytes.length > LONGEST_BYTES) {
        throw new IllegalStateException(
            "password must have at most %d bytes; file=%s".formatted(LONGEST_BYTES, file));
      }
      int length = bytes.length;
      if (length > 0 && bytes[length - 1] == '\n') {
        length -= length > 1 && bytes[length - 2] == '\r' ? 2 : 1;
      }
      CharBuffer decoded =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
      char[] found = new char[decoded.remaining()];
      decoded.get(found);
      return found;
    } catch (CharacterCodingException wrong) {
      // The cause is not kept: its message adds nothing, and a later version might include the
      // content.
      throw new IllegalStateException("password must be text in UTF-8; file=" + file);
    } catch (IOException failure) {
      throw new IllegalStateException(
          "the password cannot be read; file=" + file + " " + failure.getClass().getSimpleName(),
          failure);
    }
  }

  @Override
  public String toString() {
    return "Secret[" + where + "]";
  }
}
