package io.ensemble.testkit;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The example of docs/security.md, compiled and run as it stands there. */
final class SecuredExample {

  private SecuredExample() {}

  static @Nullable String run(String lyonAddress, Path secrets, Path definitions) {
    // example:begin
    SiteConfiguration lyon =
        SiteConfiguration.builder("lyon")
            .endpoint(lyonAddress)
            .credentials(Credentials.of("ada", Secret.inFile(secrets.resolve("ada.password"))))
            .tls(
                Tls.trusting(
                        secrets.resolve("lyon-trust.p12"),
                        Secret.inFile(secrets.resolve("lyon-trust.password")))
                    .withSniHostName("localhost")) // the name on the site's certificate
            .build();
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .site(lyon)
            .definitions(FileDefinitions.in(definitions)) // to find the caches again
            .build()) {
      EnsembleCache<String, String> notes =
          manager.getOrCreateCache(CacheDefinition.of("notes", Mode.MWMR).sites("lyon").build());
      notes.put("greeting", "hello");
      return notes.get("greeting");
    }
    // example:end
  }
}
