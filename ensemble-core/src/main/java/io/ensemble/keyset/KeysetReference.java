package io.ensemble.keyset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A keyset by reference: where it is kept, looked up whenever a cache is opened with it. Never
 * shows it. Thread-safe.
 */
public final class KeysetReference {

  /** Where the wrapping key of encrypted keysets is looked for: an environment variable. */
  public static final String WRAPPING_VARIABLE = "ENSEMBLE_KEYSET_KEY";

  private static final int LONGEST_BYTES = 1 << 20;

  private final String where;
  private final Supplier<Keyset> source;

  private KeysetReference(String where, Supplier<Keyset> source) {
    this.where = where;
    this.source = source;
  }

  /**
   * What {@code file} holds: a keyset that is not encrypted only if the file is of the user that
   * this process runs as, and nobody else can read or write it.
   */
  public static KeysetReference inFile(Path file) {
    return inFile(file, () -> variable(WRAPPING_VARIABLE));
  }

  /** As the other method, with another wrapping key, 32 bytes in Base64. */
  public static KeysetReference inFile(Path file, Supplier<String> wrapping) {
    String where = "file=" + file;
    return new KeysetReference(where, () -> read(file, where, wrapping));
  }

  /**
   * What the environment variable {@code name} holds, which must be encrypted: who sees a process
   * often sees its environment.
   */
  public static KeysetReference inVariable(String name) {
    return inVariable(name, () -> variable(name), () -> variable(WRAPPING_VARIABLE));
  }

  static KeysetReference inVariable(String name, Supplier<String> text, Supplier<String> wrapping) {
    String where = "variable=" + name;
    return new KeysetReference(
        where,
        () -> {
          String found = text.get();
          if (!KeysetText.isWrapped(found, where)) {
            throw new KeysetException("a keyset in a variable is encrypted; " + where);
          }
          return KeysetText.read(found, where, wrapping);
        });
  }

  /**
   * A keyset from elsewhere, such as a store of secrets.
   *
   * @param text gives it as a keyset file holds it, encrypted or not
   */
  public static KeysetReference of(Supplier<String> text) {
    String where = "supplier";
    return new KeysetReference(
        where, () -> KeysetText.read(text.get(), where, () -> variable(WRAPPING_VARIABLE)));
  }

  /**
   * The keyset as it is there now.
   *
   * @throws KeysetException naming the place, if there is none or it may not be used
   */
  public Keyset get() {
    return source.get();
  }

  private static Keyset read(Path file, String where, Supplier<String> wrapping) {
    Optional<String> others = FileOwner.whyNotOurs(file); // Before it is read, not after.
    String text = text(file, where);
    if (others.isPresent() && !KeysetText.isWrapped(text, where)) {
      throw new KeysetException(
          "a keyset that is not encrypted is in a file of our own that only we can use (chmod 600);"
              + " %s %s".formatted(where, others.get()));
    }
    return KeysetText.read(text, where, wrapping);
  }

  static String text(Path file, String where) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST_BYTES + 1);
      if (bytes.length > LONGEST_BYTES) {
        throw new KeysetException(
            "a keyset has %d bytes at most; %s".formatted(LONGEST_BYTES, where));
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException wrong) {
      throw new KeysetException("a keyset is text in UTF-8; " + where);
    } catch (IOException failure) {
      throw new KeysetException(
          "the keyset cannot be read; %s cause=%s"
              .formatted(where, failure.getClass().getSimpleName()));
    }
  }

  static String variable(String name) {
    @Nullable String found = System.getenv(name);
    if (found == null || found.isBlank()) {
      throw new KeysetException("the environment variable is wanted, it is not set; name=" + name);
    }
    return found;
  }

  @Override
  public String toString() {
    return "KeysetReference[" + where + "]";
  }
}
