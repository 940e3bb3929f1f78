package io.ensemble.testkit.keys;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A private key and its certificates. {@code toString} never shows the key.
 *
 * @param chain the certificates, with the one of this identity first
 */
public record TlsIdentity(PrivateKey key, List<X509Certificate> chain) {

  private static final String ALIAS = "identity";

  /** Copies the chain. */
  public TlsIdentity {
    chain = List.copyOf(chain);
  }

  /** The certificate of this identity. */
  public X509Certificate certificate() {
    return chain.get(0);
  }

  /** Writes a PKCS12 store that only the present user can read. */
  public void write(Path file, char[] password) throws IOException {
    try {
      OwnerOnlyFiles.write(file, bytes(store(password), password));
    } catch (GeneralSecurityException e) {
      throw new IOException("a key store cannot be made; file=" + file, e);
    }
  }

  /** Writes a PKCS12 store with the certificate to accept. */
  public static void writeTrust(Path file, char[] password, X509Certificate trusted)
      throws IOException {
    try {
      OwnerOnlyFiles.write(file, bytes(trust(trusted), password));
    } catch (GeneralSecurityException e) {
      throw new IOException("a trust store cannot be made; file=" + file, e);
    }
  }

  /**
   * The TLS context of a server with this identity.
   *
   * @param clients the authority that signs the certificates of clients; null to request none
   */
  public SSLContext context(@Nullable X509Certificate clients) {
    try {
      char[] password = new char[0];
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store(password), password);
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trust(clients == null ? certificate() : clients));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("TLS cannot be set up: " + e.getMessage(), e);
    }
  }

  private KeyStore store(char[] password) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    store.setKeyEntry(ALIAS, key, password, chain.toArray(Certificate[]::new));
    return store;
  }

  private static KeyStore trust(X509Certificate trusted)
      throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    store.setCertificateEntry(ALIAS, trusted);
    return store;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static byte[] bytes(KeyStore store, char[] password)
      throws GeneralSecurityException, IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    store.store(out, password);
    return out.toByteArray();
  }

  @Override
  public String toString() {
    return "TlsIdentity[" + certificate().getSubjectX500Principal() + "]";
  }
}
