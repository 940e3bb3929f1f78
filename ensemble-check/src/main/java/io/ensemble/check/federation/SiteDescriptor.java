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
 * A site, where its nodes answer, and how it is entered.
 *
 * @param name the site's name
 * @param endpoints {@code host:port} of its nodes, or of some of them
 * @param credentials null when it asks for none
 * @param tls null for clear text
 * @param storage where it keeps what is stored there: memory or disk; null for memory
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
   * @throws IllegalArgumentException naming what is missing
   */
  public SiteDescriptor {
    if (name == null || name.isBlank()) {
      throw new IllegalArgumentException("a site wants a name");
    }
    if (endpoints == null || endpoints.isEmpty()) {
      throw new IllegalArgumentException("a site wants endpoints; site=" + name);
    }
    if (storage != null && !storage.equals(MEMORY) && !storage.equals(DISK)) {
      throw new IllegalArgumentException(
          "a storage is memory or disk; got '%s'; site=%s".formatted(storage, name));
    }
    endpoints = List.copyOf(endpoints);
  }

  /** A site that is open to anyone. */
  public SiteDescriptor(String name, List<String> endpoints) {
    this(name, endpoints, null, null, null);
  }

  /** A site in memory. */
  public SiteDescriptor(
      String name, List<String> endpoints, @Nullable User credentials, @Nullable Trust tls) {
    this(name, endpoints, credentials, tls, null);
  }

  /** The site as a catalog holds it. */
  static SiteDescriptor of(SiteEntry site) {
    return new SiteDescriptor(
        site.name(),
        site.endpoints().stream().map(Endpoint::toString).toList(),
        site.credentials().map(User::of).orElse(null),
        site.tls().map(Trust::of).orElse(null),
        site.storage() == SiteStorage.DISK ? DISK : null);
  }

  /** For a catalog. */
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

  /** The same site, which keeps what is stored there on disk. */
  SiteDescriptor onDisk() {
    return new SiteDescriptor(name, endpoints, credentials, tls, DISK);
  }

  /** Whether it keeps what is stored there on disk. */
  @JsonIgnore
  public boolean isOnDisk() {
    return DISK.equals(storage);
  }

  /** The same with files beside those in {@code directory}, unless they are absolute. */
  SiteDescriptor beside(Path directory) {
    return new SiteDescriptor(
        name,
        endpoints,
        credentials == null ? null : credentials.beside(directory),
        tls == null ? null : tls.beside(directory),
        storage);
  }

  /**
   * What the Hot Rod adapter wants to know. Reads the secrets.
   *
   * @throws CommandException if one cannot be read, or the site cannot be as it is told
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
        site.tls(tls.read());
      }
      site.storage(DISK.equals(storage) ? SiteStorage.DISK : SiteStorage.MEMORY);
      return site.build();
    } catch (IllegalArgumentException | IllegalStateException wrong) {
      String message = String.valueOf(wrong.getMessage());
      String where = message.contains("site=") ? "" : "; site=" + name;
      throw new CommandException(message + where, wrong);
    }
  }
}
