package io.ensemble.rest;

import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** Presents its certificate for any requested authority; the JDK's client would withhold it. */
final class ForcedClientCertificate {

  private ForcedClientCertificate() {}

  static SSLContext tls(TlsIdentity identity, CertificateAuthority trusted) throws Exception {
    X509ExtendedKeyManager keys =
        new X509ExtendedKeyManager() {
          @Override
          public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"one"};
          }

          @Override
          public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "one";
          }

          @Override
          public String chooseEngineClientAlias(
              String[] types, Principal[] issuers, SSLEngine engine) {
            return "one";
          }

          @Override
          public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
          }

          @Override
          public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return "none";
          }

          @Override
          public X509Certificate[] getCertificateChain(String alias) {
            return identity.chain().toArray(X509Certificate[]::new);
          }

          @Override
          public PrivateKey getPrivateKey(String alias) {
            return identity.key();
          }
        };
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("ours", trusted.certificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(new KeyManager[] {keys}, trust.getTrustManagers(), null);
    return context;
  }
}
