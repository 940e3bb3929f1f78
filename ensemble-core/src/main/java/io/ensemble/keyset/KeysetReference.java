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
 * A keyset by reference: the place that holds it, read whenever a cache is opened with it. Never
 * reveals the keyset. Thread-safe.
 */
public final class KeysetReference {

  /** The environment variable with the wrapping key of encrypted keysets. */
  public static final String WRAPPING_VARIABLE = "ENSEMBLE_KEYSET_KEY";

  private static final int LONGEST_BYTES = 1 << 20;

  private final String where;
  private final Supplier<Keyset> source;

  private KeysetReference(String where, Supplier<Keyset> source) {
    this.where = where;
    this.source = source;
  }

  /**
   * The keyset in {@code file}. A keyset that is not encrypted is accepted only if the file belongs
   * to the user of this process and no other user can read or write it.
   */
  public static KeysetReference inFile(Path file) {
    return inFile(file, () -> variable(WRAPPING_VARIABLE));
  }

  /** The keyset in {@code file}, with another wrapping key, 32 bytes in Base64. */
  public static KeysetReference inFile(Path file, Supplier<String> wrapping) {
    String where = "file=" + file;
    return new KeysetReference(where, () -> read(file, where, wrapping));
  }

  /**
   * The keyset in the environment variable {@code name}. The keyset must be encrypted, because a
   * user that sees a process can often see its environment.
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
            throw new KeysetException(
                "a keyset in an environment variable must be encrypted; " + where);
          }
          return KeysetText.read(found, where, wrapping);
        });
  }

  /**
   * A keyset from another place, such as a secret store.
   *
   * @param text supplies the text as in a keyset file, encrypted or not
   */
  public static KeysetReference of(Supplier<String> text) {
    String where = "supplier";
    return new KeysetReference(
        where, () -> KeysetText.read(text.get(), where, () -> variable(WRAPPING_VARIABLE)));
  }

  /**
   * Reads the present keyset.
   *
   * @throws KeysetException naming the place, if there is none or it may not be used
   */
  public Keyset get() {
    return source.get();
  }

  private static Keyset read(Path file, String where, Supplier<String> wrapping) {
    // The check comes before the file is read, not after.
    Optional<String> others = FileOwner.whyNotOurs(file);
    String text = text(file, where);
    if (others.isPresent() && !KeysetText.isWrapped(text, where)) {
      throw new KeysetException(
          ("a keyset that is not encrypted must be in a file of this user that only this user can "
                  + "access (chmod 600); %s %s")
              .formatted(where, others.get()));
    }
    return KeysetText.read(text, where, wrapping);
  }

  static String text(Path file, String where) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST_BYTES + 1);
      if (bytes.length > LONGEST_BYTES) {
        throw new KeysetException(
            "a keyset must have at most %d bytes; %s".formatted(LONGEST_BYTES, where));
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException wrong) {
      throw new KeysetException("a keyset must be text in UTF-8; " + where);
    } catch (IOException failure) {
      throw new KeysetException(
          "the keyset cannot be read; %s cause=%s"
              .formatted(where, failure.getClass().getSimpleName()));
    }
  }

  static String variable(String name) {
    @Nullable String found = System.getenv(name);
    if (found == null || found.isBlank()) {
      throw new KeysetException("the environment variable is not set; name=" + name);
    }
    return found;
  }

  @Override
  public String toString() {
    return "KeysetReference[" + where + "]";
  }
}
