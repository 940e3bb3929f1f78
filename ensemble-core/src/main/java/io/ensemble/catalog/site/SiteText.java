package io.ensemble.catalog.site;

import static io.ensemble.catalog.record.RecordText.line;

import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.RecordText.Settings;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A site as {@link RecordText}. */
final class SiteText {

  private static final String FORMAT = "ensemble-site=1\n";

  private SiteText() {}

  static byte[] write(SiteEntry site) {
    StringBuilder text = new StringBuilder(FORMAT);
    line(text, "name", site.name());
    site.endpoints().forEach(endpoint -> line(text, "endpoint", endpoint));
    line(text, "storage", lower(site.storage()));
    line(text, "state", lower(site.state()));
    site.labels().forEach((label, value) -> line(text, "label", label + "=" + value));
    site.credentials()
        .ifPresent(
            credentials -> {
              line(text, "user", credentials.user());
              credentials.password().ifPresent(password -> secret(text, "password", password));
              credentials.mechanism().ifPresent(known -> line(text, "mechanism", known));
            });
    site.tls()
        .ifPresent(
            tls -> {
              line(text, "trustStore", tls.trustStore());
              tls.password().ifPresent(password -> secret(text, "trustStorePassword", password));
              tls.keyStore().ifPresent(store -> line(text, "keyStore", store));
              tls.keyStorePassword()
                  .ifPresent(password -> secret(text, "keyStorePassword", password));
              tls.sniHostName().ifPresent(host -> line(text, "sniHostName", host));
              tls.revocationList().ifPresent(lists -> line(text, "revocationList", lists));
            });
    line(text, "revision", site.revision());
    return RecordText.sealed(text);
  }

  private static void secret(StringBuilder text, String what, SecretReference secret) {
    secret.file().ifPresent(file -> line(text, what + "File", file));
    secret.variable().ifPresent(variable -> line(text, what + "Variable", variable));
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses the site in {@code bytes}.
   *
   * @throws IllegalArgumentException if they are not a site, saying what is wrong
   */
  static SiteEntry read(byte[] bytes) {
    String body = RecordText.opened(bytes);
    if (!body.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "the record has another format; expected="
              + FORMAT.trim()
              + " found="
              + body.lines().findFirst().orElse(""));
    }
    Settings settings = RecordText.settings(body.substring(FORMAT.length()));
    Map<String, String> labels = new TreeMap<>();
    for (String label : settings.all("label")) {
      int equals = label.indexOf('=');
      labels.put(label.substring(0, Math.max(0, equals)), label.substring(equals + 1));
    }
    return new SiteEntry(
        settings.one("name"),
        settings.all("endpoint").stream().map(Endpoint::parse).toList(),
        settings
            .optional("user")
            .map(
                user ->
                    new CredentialsReference(
                        user, secret(settings, "password"), settings.optional("mechanism"))),
        settings
            .optional("trustStore")
            .map(
                store ->
                    new TlsReference(
                        store,
                        secret(settings, "trustStorePassword"),
                        settings.optional("keyStore"),
                        secret(settings, "keyStorePassword"),
                        settings.optional("sniHostName"),
                        settings.optional("revocationList"))),
        SiteStorage.valueOf(settings.one("storage").toUpperCase(Locale.ROOT)),
        labels,
        State.valueOf(settings.one("state").toUpperCase(Locale.ROOT)),
        settings.number("revision"));
  }

  private static Optional<SecretReference> secret(Settings settings, String what) {
    Optional<String> file = settings.optional(what + "File");
    Optional<String> variable = settings.optional(what + "Variable");
    return file.isEmpty() && variable.isEmpty()
        ? Optional.empty()
        : Optional.of(new SecretReference(file, variable));
  }
}
