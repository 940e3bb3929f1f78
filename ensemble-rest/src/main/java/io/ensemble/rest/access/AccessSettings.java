package io.ensemble.rest.access;

import io.ensemble.rest.identity.ClientCertificates;
import io.ensemble.rest.identity.JwtRules;
import io.ensemble.site.address.AddressPolicy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What an access file says.
 *
 * @param policy the file of the policy
 * @param tls empty for clear text
 * @param clearText whether a service that others than this machine can reach may do without TLS,
 *     because something before it speaks TLS
 * @param clientName what of a client's certificate is its name; empty if none is asked for
 * @param users the file of users and hashes
 * @param tokens names, and where their tokens are
 * @param hosts names that the service is called by
 * @param origins what else the own pages are served as
 * @param audit empty for the log
 * @param sites where sites may be; if it is empty none can be registered
 * @param siteFiles that callers may name as those of a site's passwords and stores
 * @param siteVariables that they may name so
 * @param requestsPerCaller how many of one caller may be under way
 */
public record AccessSettings(
    Path policy,
    Optional<ServiceTls> tls,
    boolean clearText,
    Optional<ClientCertificates> clientName,
    Optional<Tokens> jwt,
    Optional<Path> users,
    Map<String, Supplier<char[]>> tokens,
    Set<String> hosts,
    Set<String> origins,
    Optional<AuditTo> audit,
    Optional<AddressPolicy> sites,
    Set<String> siteFiles,
    Set<String> siteVariables,
    int requestsPerCaller) {

  /** How many requests of one caller may be under way unless told otherwise. */
  public static final int REQUESTS_PER_CALLER = 256;

  /**
   * Signed tokens.
   *
   * @param keys a file, or an address; empty for what the issuer names
   * @param clearTextKeys whether they may come over http from this machine
   * @param trust who signs certificates of those that keys come from; empty for whom Java trusts
   */
  public record Tokens(
      JwtRules rules, Optional<String> keys, boolean clearTextKeys, Optional<Path> trust) {

    /** Whether keys come from an address. */
    boolean areFetched() {
      return keys.map(where -> where.startsWith("https:") || where.startsWith("http:"))
          .orElse(true);
    }
  }

  /** A file of audit. */
  public record AuditTo(Path file, long mostBytes, int files) {}

  public AccessSettings {
    tokens = Map.copyOf(tokens);
    hosts = Set.copyOf(hosts);
    origins = Set.copyOf(origins);
    siteFiles = Set.copyOf(siteFiles);
    siteVariables = Set.copyOf(siteVariables);
  }
}
