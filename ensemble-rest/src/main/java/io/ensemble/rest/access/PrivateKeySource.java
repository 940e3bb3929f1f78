package io.ensemble.rest.access;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.function.Supplier;

/** Where a private key and its certificate are. */
public interface PrivateKeySource {

  /**
   * What is there, read now.
   *
   * @throws IllegalArgumentException if it does not hold them, naming the file
   */
  KeyStore store();

  /** What the key in the store is locked with. */
  char[] passing();

  /**
   * A store of PKCS12.
   *
   * @param password by reference
   */
  record Pkcs12(Path file, Supplier<char[]> password) implements PrivateKeySource {

    @Override
    public KeyStore store() {
      try (InputStream in = Files.newInputStream(file)) {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(in, password.get());
        return store;
      } catch (IOException e) {
        // A wrong password is one of these; its message does not show it.
        throw new UncheckedIOException("cannot read the key store " + file, e);
      } catch (GeneralSecurityException e) {
        throw new IllegalArgumentException("wanted a key store of PKCS12; file=" + file, e);
      }
    }

    @Override
    public char[] passing() {
      return password.get();
    }
  }

  /**
   * Files of PEM.
   *
   * @param certificate with those that lead to its authority after it
   * @param key of PKCS8, not encrypted
   */
  record PemFiles(Path certificate, Path key) implements PrivateKeySource {

    private static final char[] IN_MEMORY = "in memory only".toCharArray();

    @Override
    public KeyStore store() {
      return Pem.store(certificate, key, IN_MEMORY);
    }

    @Override
    public char[] passing() {
      return IN_MEMORY.clone();
    }
  }
}
