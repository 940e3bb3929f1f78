package io.ensemble.catalog.site;

import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Derives the connection settings for a site of the catalog, with the passwords that this process
 * finds locally.
 */
public final class SiteConfigurationFactory {

  /**
   * The mechanisms that do not reveal the password. A writer of the catalog determines to which
   * address a password is sent, and from which file it is read: a mechanism that sends the password
   * itself would disclose that file.
   */
  private static final Pattern SILENT_MECHANISM =
      Pattern.compile("EXTERNAL|(SCRAM|DIGEST)-[A-Z0-9-]{1,32}");

  private SiteConfigurationFactory() {}

  /**
   * The settings for the Hot Rod adapter. Passwords are read for each connection.
   *
   * @throws IllegalArgumentException if the entry is invalid
   */
  public static SiteConfiguration configuration(SiteEntry entry) {
    SiteConfiguration.Builder site = SiteConfiguration.builder(entry.name());
    entry.endpoints().forEach(site::endpoint);
    entry.credentials().ifPresent(who -> site.credentials(credentials(entry.name(), who)));
    entry.tls().ifPresent(whom -> site.tls(tls(whom)));
    return site.storage(entry.storage()).build();
  }

  private static Credentials credentials(String site, CredentialsReference who) {
    String mechanism = who.mechanism().orElse(Credentials.SCRAM_SHA_512);
    if (!SILENT_MECHANISM.matcher(mechanism).matches()) {
      throw new IllegalArgumentException(
          ("the SASL mechanism must be SCRAM, DIGEST or EXTERNAL, which do not reveal the "
                      + "password; got '%s';")
                  .formatted(mechanism)
              + " site="
              + site);
    }
    return who.password()
        .map(password -> Credentials.of(who.user(), secret(password)).withMechanism(mechanism))
        .orElseGet(Credentials::ofCertificate);
  }

  private static Tls tls(TlsReference whom) {
    Path store = Path.of(whom.trustStore());
    Tls tls =
        whom.password()
            .map(password -> Tls.trusting(store, secret(password)))
            .orElseGet(() -> Tls.trusting(store));
    Tls known =
        whom.keyStore()
            .map(
                key ->
                    tls.withKeyStore(Path.of(key), secret(whom.keyStorePassword().orElseThrow())))
            .orElse(tls);
    Tls named = whom.sniHostName().map(known::withSniHostName).orElse(known);
    return whom.revocationList().map(Path::of).map(named::withRevocationList).orElse(named);
  }

  private static Secret secret(SecretReference reference) {
    return reference
        .file()
        .map(file -> Secret.inFile(Path.of(file)))
        .orElseGet(() -> Secret.inVariable(reference.variable().orElseThrow()));
  }
}
