package io.ensemble.rest.resource.federation;

import io.ensemble.NameRules;
import io.ensemble.catalog.site.SiteConfigurationFactory;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.cache.CreateCacheBody;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A site as a request describes it. Secrets are given by reference only. */
final class SiteBody {

  static final String[] FIELDS = {"name", "endpoints", "labels", "storage", "credentials", "tls"};

  private static final String PASSWORD = "password";
  private static final String KEY_STORE = "keyStore";
  private static final String KEY_STORE_PASSWORD = "keyStorePassword";
  private static final String[] OF_TLS = {
    "trustStore", PASSWORD, KEY_STORE, KEY_STORE_PASSWORD, "sniHostName", "revocationList"
  };
  private static final String SCHEME = "hotrod://";
  private static final int MOST_ENDPOINTS = 64;

  private SiteBody() {}

  /**
   * @throws ProblemException if a field is invalid; the problem names the field
   */
  static SiteEntry readEntry(JsonFields fields) {
    List<Endpoint> endpoints = readEndpoints(fields);
    String name = fields.text("name").orElseGet(() -> deriveName(endpoints.get(0)));
    CreateCacheBody.buildChecked(
        "name",
        () -> {
          NameRules.check("site name", name);
          return name;
        });
    Optional<CredentialsReference> credentials =
        CreateCacheBody.buildChecked(
            "credentials",
            () ->
                fields
                    .object("credentials", "user", PASSWORD, "mechanism")
                    .map(SiteBody::readCredentials));
    Optional<TlsReference> tls =
        CreateCacheBody.buildChecked(
            "tls", () -> fields.object("tls", OF_TLS).map(SiteBody::readTls));
    SiteStorage storage = fields.choice("storage", SiteStorage.class).orElse(SiteStorage.MEMORY);
    Map<String, String> labels = fields.map("labels").orElse(Map.of());
    SiteEntry unsecured =
        CreateCacheBody.buildChecked(
            "labels",
            () ->
                new SiteEntry(
                    name,
                    endpoints,
                    Optional.empty(),
                    Optional.empty(),
                    storage,
                    labels,
                    SiteEntry.State.SERVING,
                    1));
    boolean hasKeyStore = tls.flatMap(TlsReference::keyStore).isPresent();
    if (!hasKeyStore
        && credentials.filter(reference -> isExternal(reference.mechanism())).isPresent()) {
      throw Problem.invalid(
          "tls.keyStore", "a key store file for the mechanism EXTERNAL", "nothing");
    }
    return withSecrets(unsecured, credentials, tls);
  }

  /**
   * Checks that a connection can be configured as the site states; otherwise a problem names the
   * first offending field. To be called only after the check that all references are permitted.
   */
  static SiteEntry requireUsable(SiteEntry site) {
    requireUsable("name", withSecrets(site, Optional.empty(), Optional.empty()));
    requireUsable("tls", withSecrets(site, Optional.empty(), site.tls()));
    requireUsable("credentials", site);
    return site;
  }

  private static void requireUsable(String field, SiteEntry site) {
    CreateCacheBody.buildChecked(field, () -> SiteConfigurationFactory.configuration(site));
  }

  private static SiteEntry withSecrets(
      SiteEntry site, Optional<CredentialsReference> credentials, Optional<TlsReference> tls) {
    return new SiteEntry(
        site.name(),
        site.endpoints(),
        credentials,
        tls,
        site.storage(),
        site.labels(),
        site.state(),
        site.revision());
  }

  private static List<Endpoint> readEndpoints(JsonFields fields) {
    List<String> texts = fields.texts("endpoints", MOST_ENDPOINTS).orElse(List.of());
    if (texts.isEmpty()) {
      throw Problem.invalid("endpoints", "one or more endpoints, as host:port", "none");
    }
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      try {
        Endpoint endpoint =
            Endpoint.parse(text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text);
        if (endpoints.contains(endpoint)) {
          throw Problem.invalid("endpoints[%d]".formatted(i), "unique endpoints", text);
        }
        endpoints.add(endpoint);
      } catch (IllegalArgumentException e) {
        throw Problem.invalid(
            "endpoints[%d]".formatted(i), "host:port or hotrod://host:port", text);
      }
    }
    return endpoints;
  }

  /** A name derived from the site's address. */
  private static String deriveName(Endpoint endpoint) {
    return endpoint.host().replace(':', '-') + "-" + endpoint.port();
  }

  private static CredentialsReference readCredentials(JsonFields fields) {
    Optional<String> mechanism = fields.text("mechanism");
    if (isExternal(mechanism)) {
      for (String field : List.of("user", PASSWORD)) {
        if (fields.has(field)) {
          throw Problem.invalid(
              fields.fullName(field), "no value, because EXTERNAL uses the certificate", "a value");
        }
      }
      return CredentialsReference.ofCertificate();
    }
    return new CredentialsReference(
        fields.needed("user"), readRequiredSecret(fields, PASSWORD), mechanism);
  }

  private static boolean isExternal(Optional<String> mechanism) {
    return mechanism.filter(Credentials.EXTERNAL::equals).isPresent();
  }

  /** The TLS settings. A key store requires its password, and the other way round. */
  private static TlsReference readTls(JsonFields fields) {
    boolean hasKeyStore = fields.has(KEY_STORE) || fields.has(KEY_STORE_PASSWORD);
    return new TlsReference(
        fields.needed("trustStore"),
        readSecret(fields, PASSWORD),
        hasKeyStore ? Optional.of(fields.needed(KEY_STORE)) : Optional.empty(),
        hasKeyStore
            ? Optional.of(readRequiredSecret(fields, KEY_STORE_PASSWORD))
            : Optional.empty(),
        fields.text("sniHostName"),
        fields.text("revocationList"));
  }

  private static SecretReference readRequiredSecret(JsonFields fields, String name) {
    return readSecret(fields, name)
        .orElseThrow(
            () -> Problem.invalid(fields.fullName(name), "a reference to a secret", "nothing"));
  }

  private static Optional<SecretReference> readSecret(JsonFields fields, String name) {
    return fields
        .object(name, "file", "variable")
        .map(
            reference -> {
              if (reference.has("file") == reference.has("variable")) {
                throw Problem.invalid(
                    fields.fullName(name), "either a file or a variable", "both or neither");
              }
              return new SecretReference(reference.text("file"), reference.text("variable"));
            });
  }
}
