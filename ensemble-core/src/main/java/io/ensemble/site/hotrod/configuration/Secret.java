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
 * A password by reference: where it is kept, looked up whenever it is asked for, so that one that
 * is changed there is used from the next connection on. Never shows it. Thread-safe.
 */
public final class Secret implements Supplier<char[]> {

  private static final int LONGEST_BYTES = 4096;

  private final String where;
  private final Supplier<char[]> source;

  private Secret(String where, Supplier<char[]> source) {
    this.where = where;
    this.source = source;
  }

  /** What {@code file} holds in UTF-8, without an end of line after it. */
  public static Secret inFile(Path file) {
    return new Secret("file=" + file, () -> read(file));
  }

  /** What the environment variable {@code name} holds. */
  public static Secret inVariable(String name) {
    return new Secret("variable=" + name, () -> characters(System.getenv(name)));
  }

  /**
   * The password, in an array of its own.
   *
   * @throws IllegalStateException naming the place, if there is none or it is empty
   */
  @Override
  public char[] get() {
    char[] found = source.get();
    if (found.length == 0) {
      throw new IllegalStateException("a password is wanted, there is none; " + where);
    }
    return found;
  }

  private static char[] characters(@Nullable String value) {
    return value == null ? new char[0] : value.toCharArray();
  }

  private static char[] read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST_BYTES + 1);
      if (bytes.length > LONGEST_BYTES) {
        throw new IllegalStateException(
            "a password has %d bytes at most; file=%s".formatted(LONGEST_BYTES, file));
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
      // Its message would tell nothing, and might one day tell what it met.
      throw new IllegalStateException("a password is text in UTF-8; file=" + file);
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
