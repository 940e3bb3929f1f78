package io.ensemble.check.federation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.federation.SiteSecurity.Trust;
import io.ensemble.check.federation.SiteSecurity.User;
import io.ensemble.check.process.CommandException;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A site, the addresses of its nodes, and its security.
 *
 * @param name the site's name
 * @param endpoints {@code host:port} of its nodes, or of some of them
 * @param credentials null when it requires none
 * @param tls null for clear text
 * @param storage where it stores entries: memory or disk; null for memory
 */
public record SiteDescriptor(
    String name,
    List<String> endpoints,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable User credentials,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Trust tls,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String storage) {

  private static final String MEMORY = "memory";
  private static final String DISK = "disk";

  /**
   * @throws IllegalArgumentException if a value is missing; the message names it
   */
  public SiteDescriptor {
    if (name == null || name.isBlank()) {
      throw new IllegalArgumentException("a site requires a name");
    }
    if (endpoints == null || endpoints.isEmpty()) {
      throw new IllegalArgumentException("a site requires endpoints; site=" + name);
    }
    if (storage != null && !storage.equals(MEMORY) && !storage.equals(DISK)) {
      throw new IllegalArgumentException(
          "storage must be memory or disk; got '%s'; site=%s".formatted(storage, name));
    }
    endpoints = List.copyOf(endpoints);
  }

  /** A site without security. */
  public SiteDescriptor(String name, List<String> endpoints) {
    this(name, endpoints, null, null, null);
  }

  /** A site in memory. */
  public SiteDescriptor(
      String name, List<String> endpoints, @Nullable User credentials, @Nullable Trust tls) {
    this(name, endpoints, credentials, tls, null);
  }

  /** The site of a catalog entry. */
  static SiteDescriptor of(SiteEntry site) {
    return new SiteDescriptor(
        site.name(),
        site.endpoints().stream().map(Endpoint::toString).toList(),
        site.credentials().map(User::of).orElse(null),
        site.tls().map(Trust::of).orElse(null),
        site.storage() == SiteStorage.DISK ? DISK : null);
  }

  /** The entry of this site for a catalog. */
  SiteEntry entry() {
    return new SiteEntry(
        name,
        endpoints.stream().map(Endpoint::parse).toList(),
        Optional.ofNullable(credentials).map(User::reference),
        Optional.ofNullable(tls).map(Trust::reference),
        DISK.equals(storage) ? SiteStorage.DISK : SiteStorage.MEMORY,
        Map.of(),
        SiteEntry.State.SERVING,
        1);
  }

  /** The same site with storage on disk. */
  SiteDescriptor onDisk() {
    return new SiteDescriptor(name, endpoints, credentials, tls, DISK);
  }

  /** Whether it stores entries on disk. */
  @JsonIgnore
  public boolean isOnDisk() {
    return DISK.equals(storage);
  }

  /** The same site with relative file names resolved in {@code directory}. */
  SiteDescriptor beside(Path directory) {
    return new SiteDescriptor(
        name,
        endpoints,
        credentials == null ? null : credentials.beside(directory),
        tls == null ? null : tls.beside(directory),
        storage);
  }

  /**
   * The configuration for the Hot Rod adapter. Reads the secrets.
   *
   * @throws CommandException if a secret cannot be read, or the description of the site is invalid
   */
  public SiteConfiguration configuration() {
    try {
      SiteConfiguration.Builder site = SiteConfiguration.builder(name);
      endpoints.forEach(endpoint -> site.endpoint(Endpoint.parse(endpoint)));
      if (credentials != null) {
        site.credentials(credentials.read());
      }
      if (tls != null) {
        if (!Files.isReadable(Path.of(tls.trustStore()))) {
          throw new IllegalArgumentException("the trust store cannot be read: " + tls.trustStore());
        }
        if (tls.keyStore() != null && !Files.isReadable(Path.of(tls.keyStore()))) {
          throw new IllegalArgumentException("the key store cannot be read: " + tls.keyStore());
        }
        if (tls.revocationList() != null && !Files.isReadable(Path.of(tls.revocationList()))) {
          throw new IllegalArgumentException(
              "the revocation lists cannot be read: " + tls.revocationList());
        }
        site.tls(tls.read());
      }
      site.storage(DISK.equals(storage) ? SiteStorage.DISK : SiteStorage.MEMORY);
      return site.build();
    } catch (IllegalArgumentException | IllegalStateException wrong) {
      String message = String.valueOf(wrong.getMessage());
      String source = message.contains("site=") ? "" : "; site=" + name;
      throw new CommandException(message + source, wrong);
    }
  }
}
