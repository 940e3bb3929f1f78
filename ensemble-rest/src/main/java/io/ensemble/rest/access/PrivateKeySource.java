package io.ensemble.rest.access;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.function.Supplier;

/** The location of a private key and its certificate. */
public interface PrivateKeySource {

  /**
   * A store with the key and the certificate, read now.
   *
   * @throws IllegalArgumentException if the files do not contain them; the message names the file
   */
  KeyStore store();

  /** The password that protects the key in the store. */
  char[] keyPassword();

  /**
   * A PKCS12 store.
   *
   * @param password supplies the password by reference
   */
  record Pkcs12(Path file, Supplier<char[]> password) implements PrivateKeySource {

    @Override
    public KeyStore store() {
      try (InputStream in = Files.newInputStream(file)) {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(in, password.get());
        return store;
      } catch (IOException e) {
        // A wrong password is such an exception; its message does not contain the password.
        throw new UncheckedIOException("cannot read the key store " + file, e);
      } catch (GeneralSecurityException e) {
        throw new IllegalArgumentException("expected a PKCS12 key store; file=" + file, e);
      }
    }

    @Override
    public char[] keyPassword() {
      return password.get();
    }
  }

  /**
   * PEM files.
   *
   * @param certificate the certificate, followed by the chain to its authority
   * @param key a PKCS8 key, not encrypted
   */
  record PemFiles(Path certificate, Path key) implements PrivateKeySource {

    private static final char[] IN_MEMORY = "in memory only".toCharArray();

    @Override
    public KeyStore store() {
      return Pem.createKeyStore(certificate, key, IN_MEMORY);
    }

    @Override
    public char[] keyPassword() {
      return IN_MEMORY.clone();
    }
  }
}
