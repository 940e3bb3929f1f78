package io.ensemble.check.federation;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.process.ProcessSiteAccess;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The security of a site, as a sites file describes it: passwords by reference only, so that
 * neither the file nor a command line contains one.
 */
public final class SiteSecurity {

  private SiteSecurity() {}

  /**
   * The user that Ensemble logs in as.
   *
   * @param user the user's name
   * @param passwordFile a file that holds the password; null if a variable does
   * @param passwordEnv an environment variable that holds it; null if a file does
   * @param mechanism the SASL mechanism; null for SCRAM-SHA-512
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record User(
      String user,
      @Nullable String passwordFile,
      @Nullable String passwordEnv,
      @Nullable String mechanism) {

    /**
     * @throws IllegalArgumentException if a value is missing or superfluous; the message names it
     */
    public User {
      boolean external = Credentials.EXTERNAL.equals(mechanism);
      user = user == null && external ? Credentials.CERTIFICATE : user;
      if (user == null || user.isBlank()) {
        throw new IllegalArgumentException("credentials require a user");
      }
      if (external && (passwordFile != null || passwordEnv != null)) {
        throw new IllegalArgumentException("the mechanism EXTERNAL excludes a password");
      }
      if (!external && (passwordFile == null) == (passwordEnv == null)) {
        throw new IllegalArgumentException(
            "credentials require either a password_file or a password_env; user=" + user);
      }
    }

    static User of(CredentialsReference reference) {
      return new User(
          reference.user(),
          reference.password().flatMap(SecretReference::file).orElse(null),
          reference.password().flatMap(SecretReference::variable).orElse(null),
          reference.mechanism().orElse(null));
    }

    static User of(ProcessSiteAccess.User user) {
      return new User(user.name(), user.password().toString(), null, null);
    }

    CredentialsReference reference() {
      return new CredentialsReference(
          user, secretReference(passwordFile, passwordEnv), Optional.ofNullable(mechanism));
    }

    User beside(Path directory) {
      return new User(user, absolute(directory, passwordFile), passwordEnv, mechanism);
    }

    Credentials read() {
      if (Credentials.EXTERNAL.equals(mechanism)) {
        return Credentials.ofCertificate();
      }
      Credentials credentials = Credentials.of(user, secret(passwordFile, passwordEnv));
      return mechanism == null ? credentials : credentials.withMechanism(mechanism);
    }
  }

  /**
   * The certificates to accept, and Ensemble's own certificate.
   *
   * @param trustStore a PKCS12, JKS or PEM file
   * @param passwordFile a file that holds the store's password; null if a variable does, or for PEM
   * @param passwordEnv an environment variable that holds it; null if a file does, or for PEM
   * @param keyStore a PKCS12 or JKS file of the client's key and certificate; null for none
   * @param keyStorePasswordFile a file that holds its password; null if a variable does, or for
   *     none
   * @param keyStorePasswordEnv an environment variable that holds it; null if a file does, or for
   *     none
   * @param sniHostName the name on the site's certificate; null for the first endpoint's
   * @param revocationList a file with revocation lists; null if revocation is not checked
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Trust(
      String trustStore,
      @Nullable String passwordFile,
      @Nullable String passwordEnv,
      @Nullable String keyStore,
      @Nullable String keyStorePasswordFile,
      @Nullable String keyStorePasswordEnv,
      @Nullable String sniHostName,
      @Nullable String revocationList) {

    /**
     * @throws IllegalArgumentException if a value is missing or superfluous; the message names it
     */
    public Trust {
      if (trustStore == null || trustStore.isBlank()) {
        throw new IllegalArgumentException("tls requires a trust_store");
      }
      if (passwordFile != null && passwordEnv != null) {
        throw new IllegalArgumentException(
            "tls requires either a password_file or a password_env, not both");
      }
      int passwords =
          (keyStorePasswordFile == null ? 0 : 1) + (keyStorePasswordEnv == null ? 0 : 1);
      if (passwords != (keyStore == null ? 0 : 1)) {
        throw new IllegalArgumentException(
            "a key_store requires either a key_store_password_file or a key_store_password_env");
      }
    }

    /** Without a client certificate. */
    public Trust(
        String trustStore,
        @Nullable String passwordFile,
        @Nullable String passwordEnv,
        @Nullable String sniHostName) {
      this(trustStore, passwordFile, passwordEnv, null, null, null, sniHostName, null);
    }

    static Trust of(TlsReference reference) {
      return new Trust(
          reference.trustStore(),
          reference.password().flatMap(SecretReference::file).orElse(null),
          reference.password().flatMap(SecretReference::variable).orElse(null),
          reference.keyStore().orElse(null),
          reference.keyStorePassword().flatMap(SecretReference::file).orElse(null),
          reference.keyStorePassword().flatMap(SecretReference::variable).orElse(null),
          reference.sniHostName().orElse(null),
          reference.revocationList().orElse(null));
    }

    static Trust of(ProcessSiteAccess processSiteAccess) {
      String password = processSiteAccess.trustStorePassword().toString();
      String keyStore = processSiteAccess.keyStore().map(Path::toString).orElse(null);
      return new Trust(
          processSiteAccess.trustStore().toString(),
          password,
          null,
          keyStore,
          keyStore == null ? null : password,
          null,
          processSiteAccess.serverName(),
          null);
    }

    TlsReference reference() {
      return new TlsReference(
          trustStore,
          secretReference(passwordFile, passwordEnv),
          Optional.ofNullable(keyStore),
          secretReference(keyStorePasswordFile, keyStorePasswordEnv),
          Optional.ofNullable(sniHostName),
          Optional.ofNullable(revocationList));
    }

    Trust beside(Path directory) {
      return new Trust(
          directory.resolve(trustStore).toString(),
          absolute(directory, passwordFile),
          passwordEnv,
          absolute(directory, keyStore),
          absolute(directory, keyStorePasswordFile),
          keyStorePasswordEnv,
          sniHostName,
          absolute(directory, revocationList));
    }

    Tls read() {
      Path store = Path.of(trustStore);
      Tls tls =
          passwordFile == null && passwordEnv == null
              ? Tls.trusting(store)
              : Tls.trusting(store, secret(passwordFile, passwordEnv));
      Tls known =
          keyStore == null
              ? tls
              : tls.withKeyStore(
                  Path.of(keyStore), secret(keyStorePasswordFile, keyStorePasswordEnv));
      Tls named = sniHostName == null ? known : known.withSniHostName(sniHostName);
      return revocationList == null ? named : named.withRevocationList(Path.of(revocationList));
    }
  }

  private static Optional<SecretReference> secretReference(
      @Nullable String file, @Nullable String variable) {
    return file == null && variable == null
        ? Optional.empty()
        : Optional.of(
            new SecretReference(Optional.ofNullable(file), Optional.ofNullable(variable)));
  }

  private static @Nullable String absolute(Path directory, @Nullable String file) {
    return file == null ? null : directory.resolve(file).toString();
  }

  /** Read immediately, so that a missing file is reported before any other failure. */
  private static char[] secret(@Nullable String file, @Nullable String variable) {
    if (file != null) {
      return Secret.inFile(Path.of(file)).get();
    }
    if (variable != null) {
      return Secret.inVariable(variable).get();
    }
    throw new AssertionError("a secret must be in a file or an environment variable");
  }
}
