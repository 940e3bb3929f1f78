package io.ensemble.testkit.keys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads the certificates to accept. */
public final class TrustStore {

  private TrustStore() {}

  /**
   * The TLS context of a client that accepts the certificates in {@code file}, a PKCS12 store.
   *
   * @throws IllegalStateException if the store cannot be used
   */
  public static SSLContext context(Path file, char[] password) {
    return context(file, null, password);
  }

  /**
   * As the other method, for a client with a certificate.
   *
   * @param identity a PKCS12 store with the client's key and certificate; null for none
   * @param password of both stores, and of the key
   */
  public static SSLContext context(Path file, @Nullable Path identity, char[] password) {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(load(file, password));
      KeyManager[] keys = null;
      if (identity != null) {
        KeyManagerFactory own =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(load(identity, password), password);
        keys = own.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a trust store cannot be used; file=" + file, e);
    }
  }

  private static KeyStore load(Path file, char[] password)
      throws GeneralSecurityException, IOException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, password);
      return store;
    }
  }
}
