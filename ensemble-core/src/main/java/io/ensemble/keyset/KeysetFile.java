package io.ensemble.keyset;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.crypto.tink.daead.PredefinedDeterministicAeadParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A keyset in a file that only its owner can access: creation, key rotation and removal of keys. A
 * file is replaced whole or not at all. Two processes must not change the same file concurrently.
 * Methods fail with {@link KeysetException}.
 */
public final class KeysetFile {

  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final FileAttribute<?> OWNERS_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path file;
  private final Supplier<String> wrapping;

  private KeysetFile(Path file, Supplier<String> wrapping) {
    this.file = file;
    this.wrapping = wrapping;
  }

  /** The keyset file at {@code file}, which need not exist. */
  public static KeysetFile at(Path file) {
    return new KeysetFile(file, () -> KeysetReference.variable(KeysetReference.WRAPPING_VARIABLE));
  }

  /** The keyset file at {@code file}, with another wrapping key, 32 bytes in Base64. */
  public static KeysetFile at(Path file, Supplier<String> wrapping) {
    return new KeysetFile(file, wrapping);
  }

  /**
   * Creates the file, with one new key for values.
   *
   * @param wrapped whether it is encrypted with the wrapping key
   * @param names whether there is a key for names: such a keyset serves only caches with private
   *     keys, whatever a catalog says
   * @throws KeysetException if the file exists already
   */
  public Keyset create(boolean wrapped, boolean names) {
    try {
      Keyset.register();
      Keyset made =
          Keyset.of(
              KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM),
              names
                  ? KeysetHandle.generateNew(PredefinedDeterministicAeadParameters.AES256_SIV)
                  : null);
      write(file, KeysetText.write(made, wrapped ? wrapping.get() : null));
      keepName(file);
      return made;
    } catch (FileAlreadyExistsException there) {
      throw new KeysetException("the keyset file must not exist; file=" + file);
    } catch (IOException failure) {
      throw failed(failure);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("every JDK has AES", impossible);
    }
  }

  /** The keyset in the file. */
  public Keyset read() {
    return KeysetReference.inFile(file, wrapping).get();
  }

  /**
   * Adds a key that decrypts and does not encrypt yet, so that all users of the keyset can receive
   * it before it encrypts any value.
   *
   * @throws KeysetException if the last key is not in use yet
   */
  public Keyset prepare() {
    Keyset now = read();
    if (!isLastPrimary(now)) {
      throw new KeysetException(
          "a key is prepared already: rotate to it first; file=%s keys=%s"
              .formatted(file, now.keys()));
    }
    return changed(now, added(now.values(), false));
  }

  /** Makes the prepared key the primary one, or a new key if none was prepared. */
  public Keyset rotate() {
    Keyset now = read();
    if (isLastPrimary(now)) {
      return changed(now, added(now.values(), true));
    }
    KeysetHandle.Builder builder = KeysetHandle.newBuilder(now.values());
    builder.getAt(builder.size() - 1).makePrimary();
    return changed(now, builder);
  }

  /**
   * Removes a key: values that are still encrypted with it cannot be read with this keyset again.
   *
   * @throws KeysetException if there is no such key, or it is the primary one
   */
  public Keyset retire(int keyId) {
    Keyset now = read();
    KeysetHandle.Builder builder = KeysetHandle.newBuilder(now.values());
    for (int i = 0; i < now.keys().size(); i++) {
      Keyset.Key key = now.keys().get(i);
      if (key.id() == keyId && !key.primary()) {
        builder.deleteAt(i);
        return changed(now, builder);
      }
    }
    throw new KeysetException(
        "only a key that does not encrypt can be retired; key-id=%s file=%s keys=%s"
            .formatted(Integer.toUnsignedString(keyId), file, now.keys()));
  }

  private static boolean isLastPrimary(Keyset keyset) {
    return keyset.keys().get(keyset.keys().size() - 1).primary();
  }

  private static KeysetHandle.Builder added(KeysetHandle handle, boolean primary) {
    KeysetHandle.Builder.Entry entry =
        KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
            .withRandomId();
    if (primary) {
      entry.makePrimary();
    }
    return KeysetHandle.newBuilder(handle).addEntry(entry);
  }

  private Keyset changed(Keyset former, KeysetHandle.Builder values) {
    try {
      Keyset next = Keyset.of(values.build(), former.names().orElse(null));
      boolean wrapped =
          KeysetText.isWrapped(KeysetReference.text(file, "file=" + file), "file=" + file);
      Path real = file.toRealPath(); // A symbolic link stays a link.
      Path beside = Path.of(real + ".new");
      Files.deleteIfExists(beside);
      write(beside, KeysetText.write(next, wrapped ? wrapping.get() : null));
      Files.move(beside, real, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      keepName(real);
      return next;
    } catch (IOException failure) {
      throw failed(failure);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("a keyset with one more key is a keyset", impossible);
    }
  }

  private static void write(Path to, String text) throws IOException {
    try (FileChannel out = FileChannel.open(to, NEW, OWNERS_ALONE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
  }

  /** Flushes the directory: a file survives a crash only if its directory was flushed, too. */
  private static void keepName(Path file) throws IOException {
    try (FileChannel directory =
        FileChannel.open(
            Objects.requireNonNull(file.toAbsolutePath().getParent()), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private KeysetException failed(IOException failure) {
    return new KeysetException(
        "the keyset cannot be written; file=%s cause=%s"
            .formatted(file, failure.getClass().getSimpleName()));
  }
}
