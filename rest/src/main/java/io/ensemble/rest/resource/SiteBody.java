package io.ensemble.rest.resource;

import io.ensemble.Names;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.SiteEntry.CredentialsReference;
import io.ensemble.catalog.SiteEntry.SecretReference;
import io.ensemble.catalog.SiteEntry.TlsReference;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.json.Fields;
import io.ensemble.site.hotrod.Endpoint;
import io.ensemble.site.hotrod.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A site as a request describes it. Secrets come by reference only. */
final class SiteBody {

  static final String[] FIELDS = {"name", "endpoints", "labels", "storage", "credentials", "tls"};

  private static final String SCHEME = "hotrod://";
  private static final int MOST_ENDPOINTS = 64;

  private SiteBody() {}

  /**
   * @throws ProblemException naming the field that cannot be
   */
  static SiteEntry entry(Fields fields) {
    List<Endpoint> endpoints = endpoints(fields);
    String name = fields.text("name").orElseGet(() -> named(endpoints.get(0)));
    CreationBody.checked(
        "name",
        () -> {
          Names.check("site name", name);
          return name;
        });
    Optional<CredentialsReference> credentials =
        CreationBody.checked(
            "credentials",
            () ->
                fields
                    .object("credentials", "user", "password", "mechanism")
                    .map(SiteBody::credentials));
    Optional<TlsReference> tls =
        CreationBody.checked(
            "tls",
            () -> fields.object("tls", "trustStore", "password", "sniHostName").map(SiteBody::tls));
    Storage storage = fields.choice("storage", Storage.class).orElse(Storage.MEMORY);
    Map<String, String> labels = fields.map("labels").orElse(Map.of());
    return CreationBody.checked(
        "labels",
        () ->
            new SiteEntry(
                name, endpoints, credentials, tls, storage, labels, SiteEntry.State.SERVING, 1));
  }

  private static List<Endpoint> endpoints(Fields fields) {
    List<String> texts = fields.texts("endpoints", MOST_ENDPOINTS).orElse(List.of());
    if (texts.isEmpty()) {
      throw Problem.invalid("endpoints", "one endpoint or more, as host:port", "none");
    }
    List<Endpoint> all = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      try {
        Endpoint one =
            Endpoint.parse(text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text);
        if (all.contains(one)) {
          throw Problem.invalid("endpoints[%d]".formatted(i), "each endpoint once", text);
        }
        all.add(one);
      } catch (IllegalArgumentException e) {
        throw Problem.invalid(
            "endpoints[%d]".formatted(i), "host:port or hotrod://host:port", text);
      }
    }
    return all;
  }

  /** A name that says where the site is. */
  private static String named(Endpoint first) {
    return first.host().replace(':', '-') + "-" + first.port();
  }

  private static CredentialsReference credentials(Fields fields) {
    return new CredentialsReference(
        fields.needed("user"),
        Optional.of(
            secret(fields)
                .orElseThrow(
                    () -> Problem.invalid(fields.full("password"), "a reference", "nothing"))),
        fields.text("mechanism"));
  }

  private static TlsReference tls(Fields fields) {
    return new TlsReference(
        fields.needed("trustStore"),
        secret(fields),
        Optional.empty(),
        Optional.empty(),
        fields.text("sniHostName"));
  }

  private static Optional<SecretReference> secret(Fields fields) {
    return fields
        .object("password", "file", "variable")
        .map(
            where -> {
              if (where.has("file") == where.has("variable")) {
                throw Problem.invalid(
                    fields.full("password"), "either a file or a variable", "both, or none");
              }
              return new SecretReference(where.text("file"), where.text("variable"));
            });
  }
}
