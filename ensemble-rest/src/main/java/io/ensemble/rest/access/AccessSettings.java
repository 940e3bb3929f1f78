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
 * The content of an access file.
 *
 * @param policy the file of the policy
 * @param tls empty for clear text
 * @param clearText whether a service that other hosts can reach may do without TLS, because a proxy
 *     before it speaks TLS
 * @param clientName the part of a client's certificate that is the client's name; empty if no
 *     certificate is requested
 * @param revocationList the file with the revocation lists of clients' authorities; empty if
 *     revocation is not checked
 * @param users the file of users and hashes
 * @param tokens names, and the locations of their tokens
 * @param hosts host names under which the service is reached
 * @param origins further origins of the console's own pages
 * @param audit the audit file; empty for the log
 * @param sites the allowed addresses of sites; if empty, no site can be registered
 * @param siteFiles the files that callers may name for a site's passwords and stores
 * @param siteVariables the environment variables that callers may name for them
 * @param requestsPerCaller the maximum number of requests of one caller in progress
 */
public record AccessSettings(
    Path policy,
    Optional<ServiceTls> tls,
    boolean clearText,
    Optional<ClientCertificates> clientName,
    Optional<Path> revocationList,
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

  /** The default maximum number of requests of one caller in progress. */
  public static final int REQUESTS_PER_CALLER = 256;

  /**
   * Settings for signed tokens.
   *
   * @param keys a file or an address of keys; empty for the address that the issuer publishes
   * @param clearTextKeys whether keys may be fetched over http from this machine
   * @param trust the authorities of the key server's certificate; empty for Java's default
   */
  public record Tokens(
      JwtRules rules, Optional<String> keys, boolean clearTextKeys, Optional<Path> trust) {

    /** Whether keys are fetched from an address. */
    boolean areFetched() {
      return keys.map(location -> location.startsWith("https:") || location.startsWith("http:"))
          .orElse(true);
    }
  }

  /** Settings for an audit file. */
  public record AuditTo(Path file, long mostBytes, int files) {}

  public AccessSettings {
    tokens = Map.copyOf(tokens);
    hosts = Set.copyOf(hosts);
    origins = Set.copyOf(origins);
    siteFiles = Set.copyOf(siteFiles);
    siteVariables = Set.copyOf(siteVariables);
  }
}
