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
    "trustStore", PASSWORD, KEY_STORE, KEY_STORE_PASSWORD, "sniHostName"
  };
  private static final String SCHEME = "hotrod://";
  private static final int MOST_ENDPOINTS = 64;

  private SiteBody() {}

  /**
   * @throws ProblemException if a field is invalid; the problem names the field
   */
  static SiteEntry entry(JsonFields fields) {
    List<Endpoint> endpoints = endpoints(fields);
    String name = fields.text("name").orElseGet(() -> named(endpoints.get(0)));
    CreateCacheBody.checked(
        "name",
        () -> {
          NameRules.check("site name", name);
          return name;
        });
    Optional<CredentialsReference> credentials =
        CreateCacheBody.checked(
            "credentials",
            () ->
                fields
                    .object("credentials", "user", PASSWORD, "mechanism")
                    .map(SiteBody::credentials));
    Optional<TlsReference> tls =
        CreateCacheBody.checked("tls", () -> fields.object("tls", OF_TLS).map(SiteBody::tls));
    SiteStorage storage = fields.choice("storage", SiteStorage.class).orElse(SiteStorage.MEMORY);
    Map<String, String> labels = fields.map("labels").orElse(Map.of());
    SiteEntry open =
        CreateCacheBody.checked(
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
    boolean certified = tls.flatMap(TlsReference::keyStore).isPresent();
    if (!certified && credentials.filter(who -> isExternal(who.mechanism())).isPresent()) {
      throw Problem.invalid(
          "tls.keyStore", "a key store file for the mechanism EXTERNAL", "nothing");
    }
    return with(open, credentials, tls);
  }

  /**
   * Checks that a connection can be configured as the site states; otherwise a problem names the
   * first offending field. To be called only after the check that all references are permitted.
   */
  static SiteEntry usable(SiteEntry site) {
    usable("name", with(site, Optional.empty(), Optional.empty()));
    usable("tls", with(site, Optional.empty(), site.tls()));
    usable("credentials", site);
    return site;
  }

  private static void usable(String field, SiteEntry site) {
    CreateCacheBody.checked(field, () -> SiteConfigurationFactory.configuration(site));
  }

  private static SiteEntry with(
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

  private static List<Endpoint> endpoints(JsonFields fields) {
    List<String> texts = fields.texts("endpoints", MOST_ENDPOINTS).orElse(List.of());
    if (texts.isEmpty()) {
      throw Problem.invalid("endpoints", "one or more endpoints, as host:port", "none");
    }
    List<Endpoint> all = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      try {
        Endpoint one =
            Endpoint.parse(text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text);
        if (all.contains(one)) {
          throw Problem.invalid("endpoints[%d]".formatted(i), "unique endpoints", text);
        }
        all.add(one);
      } catch (IllegalArgumentException e) {
        throw Problem.invalid(
            "endpoints[%d]".formatted(i), "host:port or hotrod://host:port", text);
      }
    }
    return all;
  }

  /** A name derived from the site's address. */
  private static String named(Endpoint first) {
    return first.host().replace(':', '-') + "-" + first.port();
  }

  private static CredentialsReference credentials(JsonFields fields) {
    Optional<String> mechanism = fields.text("mechanism");
    if (isExternal(mechanism)) {
      for (String one : List.of("user", PASSWORD)) {
        if (fields.has(one)) {
          throw Problem.invalid(
              fields.full(one), "no value, because EXTERNAL uses the certificate", "a value");
        }
      }
      return CredentialsReference.ofCertificate();
    }
    return new CredentialsReference(
        fields.needed("user"), neededSecret(fields, PASSWORD), mechanism);
  }

  private static boolean isExternal(Optional<String> mechanism) {
    return mechanism.filter(Credentials.EXTERNAL::equals).isPresent();
  }

  /** The TLS settings. A key store requires its password, and the other way round. */
  private static TlsReference tls(JsonFields fields) {
    boolean certified = fields.has(KEY_STORE) || fields.has(KEY_STORE_PASSWORD);
    return new TlsReference(
        fields.needed("trustStore"),
        secret(fields, PASSWORD),
        certified ? Optional.of(fields.needed(KEY_STORE)) : Optional.empty(),
        certified ? Optional.of(neededSecret(fields, KEY_STORE_PASSWORD)) : Optional.empty(),
        fields.text("sniHostName"));
  }

  private static SecretReference neededSecret(JsonFields fields, String name) {
    return secret(fields, name)
        .orElseThrow(
            () -> Problem.invalid(fields.full(name), "a reference to a secret", "nothing"));
  }

  private static Optional<SecretReference> secret(JsonFields fields, String name) {
    return fields
        .object(name, "file", "variable")
        .map(
            where -> {
              if (where.has("file") == where.has("variable")) {
                throw Problem.invalid(
                    fields.full(name), "either a file or a variable", "both or neither");
              }
              return new SecretReference(where.text("file"), where.text("variable"));
            });
  }
}
