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

/** How a site of the catalog is entered by this process, with the passwords that it finds here. */
public final class SiteConfigurationFactory {

  /**
   * Who writes the catalog says where a password is sent, and which file it is read from: one that
   * is sent as it is would hand that file over.
   */
  private static final Pattern SILENT_MECHANISM =
      Pattern.compile("EXTERNAL|(SCRAM|DIGEST)-[A-Z0-9-]{1,32}");

  private SiteConfigurationFactory() {}

  /**
   * What the Hot Rod adapter wants to know. Passwords are read with each connection.
   *
   * @throws IllegalArgumentException if a site cannot be as its entry says
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
          "a mechanism that a catalog names tells no password: SCRAM, DIGEST or EXTERNAL; got '%s';"
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
    return whom.sniHostName().map(known::withSniHostName).orElse(known);
  }

  private static Secret secret(SecretReference reference) {
    return reference
        .file()
        .map(file -> Secret.inFile(Path.of(file)))
        .orElseGet(() -> Secret.inVariable(reference.variable().orElseThrow()));
  }
}
