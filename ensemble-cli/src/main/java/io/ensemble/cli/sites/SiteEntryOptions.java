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
      description = "Some of its nodes; the others are discovered.")
  List<String> endpoints = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Label of the site, such as region=eu; may be repeated.")
  Map<String, String> labels = Map.of();

  @Option(
      names = "--credentials",
      paramLabel = "USER@REF",
      description =
          "User and password for the site. REF is file:PATH or env:NAME, from which each process "
              + "reads the password; the catalog does not store it.")
  @Nullable String credentials;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      description =
          "SASL mechanism; default: SCRAM-SHA-512. EXTERNAL uses the client certificate, and "
              + "excludes --credentials.")
  @Nullable String mechanism;

  @Option(
      names = "--trust-store",
      paramLabel = "FILE",
      description = "Use TLS, with the trusted certificates of this PKCS12, JKS or PEM file.")
  @Nullable Path trustStore;

  @Option(
      names = "--trust-store-password",
      paramLabel = "REF",
      description = "Password of the trust store: file:PATH or env:NAME.")
  @Nullable String trustStorePassword;

  @Option(
      names = "--key-store",
      paramLabel = "FILE",
      description = "Client key and certificate, if the site requires them: a PKCS12 or JKS file.")
  @Nullable Path keyStore;

  @Option(
      names = "--key-store-password",
      paramLabel = "REF",
      description = "Password of the key store: file:PATH or env:NAME.")
  @Nullable String keyStorePassword;

  @Option(
      names = "--server-name",
      paramLabel = "NAME",
      description = "Name in the certificate of the site; default: the host of the first endpoint.")
  @Nullable String serverName;

  @Option(
      names = "--revocation-list",
      paramLabel = "FILE",
      description =
          "Revocation lists of the authorities of the site's certificates, PEM or DER. Nodes with "
              + "a revoked certificate, or one of unknown status, are rejected.")
  @Nullable Path revocationList;

  @Option(
      names = "--storage",
      paramLabel = "WHERE",
      defaultValue = "MEMORY",
      description =
          "Storage of the site: ${COMPLETION-CANDIDATES}, case-insensitive; default: "
              + "${DEFAULT-VALUE}.")
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
          "--credentials must be USER@file:PATH or USER@env:NAME, never a password");
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
      if (keyStore != null || serverName != null || revocationList != null) {
        throw new IllegalArgumentException(
            "--key-store, --server-name and --revocation-list require --trust-store");
      }
      return Optional.empty();
    }
    return Optional.of(
        new TlsReference(
            absolute(trustStore),
            Optional.ofNullable(trustStorePassword).map(SiteEntryOptions::secret),
            Optional.ofNullable(keyStore).map(SiteEntryOptions::absolute),
            Optional.ofNullable(keyStorePassword).map(SiteEntryOptions::secret),
            Optional.ofNullable(serverName),
            Optional.ofNullable(revocationList).map(SiteEntryOptions::absolute)));
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
        "a password must be given as file:PATH or env:NAME; got '"
            + given.replaceAll(".", "*")
            + "'");
  }
}
