package io.ensemble.catalog;

import io.ensemble.catalog.SiteEntry.SecretReference;
import io.ensemble.catalog.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.Credentials;
import io.ensemble.site.hotrod.Secret;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.site.hotrod.Tls;
import java.nio.file.Path;

/** How a site of the catalog is entered by this process, with the passwords that it finds here. */
public final class SiteAccess {

  private SiteAccess() {}

  /**
   * What the Hot Rod adapter wants to know. Passwords are read with each connection.
   *
   * @throws IllegalArgumentException if a site cannot be as its entry says
   */
  public static SiteConfiguration configuration(SiteEntry entry) {
    SiteConfiguration.Builder site = SiteConfiguration.builder(entry.name());
    entry.endpoints().forEach(site::endpoint);
    entry
        .credentials()
        .ifPresent(
            who -> {
              Credentials credentials = Credentials.of(who.user(), secret(who.password()));
              site.credentials(who.mechanism().map(credentials::withMechanism).orElse(credentials));
            });
    entry.tls().ifPresent(whom -> site.tls(tls(whom)));
    return site.storage(entry.storage()).build();
  }

  private static Tls tls(TlsReference whom) {
    Path store = Path.of(whom.trustStore());
    Tls tls =
        whom.password()
            .map(password -> Tls.trusting(store, secret(password)))
            .orElseGet(() -> Tls.trusting(store));
    return whom.sniHostName().map(tls::withSniHostName).orElse(tls);
  }

  private static Secret secret(SecretReference reference) {
    return reference
        .file()
        .map(file -> Secret.inFile(Path.of(file)))
        .orElseGet(() -> Secret.inVariable(reference.variable().orElseThrow()));
  }
}
