package io.ensemble.cli.sites;

import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.CredentialsReference;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The description of a site to be entered. */
final class SiteEntryOptions {

  private static final String FILE = "file:";
  private static final String VARIABLE = "env:";

  @Option(
      names = "--endpoints",
      required = true,
      split = ",",
      paramLabel = "HOST:PORT",
      description = "Some of its nodes; the others are learnt from them.")
  List<String> endpoints = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "What it is like, region=eu for instance; may be repeated.")
  Map<String, String> labels = Map.of();

  @Option(
      names = "--credentials",
      paramLabel = "USER@REF",
      description =
          "Who we are to it. REF is file:PATH or env:NAME, where each process finds the password;"
              + " the catalog holds none.")
  @Nullable String credentials;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      description =
          "The SASL mechanism; default: SCRAM-SHA-512. EXTERNAL is whoever our certificate says,"
              + " and wants no --credentials.")
  @Nullable String mechanism;

  @Option(
      names = "--trust-store",
      paramLabel = "FILE",
      description = "Speak TLS, and trust what is in this PKCS12, JKS or PEM file.")
  @Nullable Path trustStore;

  @Option(
      names = "--trust-store-password",
      paramLabel = "REF",
      description = "Its password: file:PATH or env:NAME.")
  @Nullable String trustStorePassword;

  @Option(
      names = "--key-store",
      paramLabel = "FILE",
      description = "Our own key and certificate, if it asks for one: a PKCS12 or JKS file.")
  @Nullable Path keyStore;

  @Option(
      names = "--key-store-password",
      paramLabel = "REF",
      description = "Its password: file:PATH or env:NAME.")
  @Nullable String keyStorePassword;

  @Option(
      names = "--server-name",
      paramLabel = "NAME",
      description = "The name on its certificate; default: the host of its first endpoint.")
  @Nullable String serverName;

  @Option(
      names = "--storage",
      paramLabel = "WHERE",
      defaultValue = "MEMORY",
      description =
          "Where it keeps what is stored there: ${COMPLETION-CANDIDATES}, in any case; default:"
              + " ${DEFAULT-VALUE}.")
  SiteStorage storage = SiteStorage.MEMORY;

  /**
   * @throws IllegalArgumentException if an option is invalid; the message names it
   */
  SiteEntry entry(String name) {
    return new SiteEntry(
        name,
        endpoints.stream().map(Endpoint::parse).toList(),
        Optional.ofNullable(credentials).map(this::credentials).or(this::byCertificate),
        tls(),
        storage,
        labels,
        SiteEntry.State.SERVING,
        1);
  }

  private CredentialsReference credentials(String given) {
    int at = given.lastIndexOf("@" + FILE) + given.lastIndexOf("@" + VARIABLE) + 1;
    if (at < 1) {
      throw new IllegalArgumentException(
          "--credentials wants USER@file:PATH or USER@env:NAME, never a password");
    }
    return new CredentialsReference(
        given.substring(0, at), secret(given.substring(at + 1)), Optional.ofNullable(mechanism));
  }

  private Optional<CredentialsReference> byCertificate() {
    return Credentials.EXTERNAL.equals(mechanism)
        ? Optional.of(CredentialsReference.ofCertificate())
        : Optional.empty();
  }

  private Optional<TlsReference> tls() {
    if (trustStore == null) {
      if (keyStore != null || serverName != null) {
        throw new IllegalArgumentException("--key-store and --server-name want a --trust-store");
      }
      return Optional.empty();
    }
    return Optional.of(
        new TlsReference(
            absolute(trustStore),
            Optional.ofNullable(trustStorePassword).map(SiteEntryOptions::secret),
            Optional.ofNullable(keyStore).map(SiteEntryOptions::absolute),
            Optional.ofNullable(keyStorePassword).map(SiteEntryOptions::secret),
            Optional.ofNullable(serverName)));
  }

  private static String absolute(Path file) {
    return file.toAbsolutePath().normalize().toString();
  }

  /**
   * Parses a reference; makes the path of a file absolute, so that it is valid in any directory.
   */
  private static SecretReference secret(String given) {
    if (given.startsWith(FILE)) {
      Path file = Path.of(given.substring(FILE.length())).toAbsolutePath().normalize();
      return new SecretReference(Optional.of(file.toString()), Optional.empty());
    }
    if (given.startsWith(VARIABLE)) {
      return new SecretReference(Optional.empty(), Optional.of(given.substring(VARIABLE.length())));
    }
    throw new IllegalArgumentException(
        "a password is named by file:PATH or env:NAME, never given; got '"
            + given.replaceAll(".", "*")
            + "'");
  }
}
