package io.ensemble.rest.access;

import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditFile;
import io.ensemble.rest.audit.AuditLog;
import io.ensemble.rest.audit.AuditSink;
import io.ensemble.rest.gate.AccessFilter;
import io.ensemble.rest.gate.OriginPolicy;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.JwksFetcher;
import io.ensemble.rest.identity.JwtVerifier;
import io.ensemble.rest.identity.PasswordVerifier;
import io.ensemble.rest.identity.RevocationLists;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.SigningKeys.Pace;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.policy.AccessPolicy;
import io.ensemble.rest.policy.AccessPolicyText;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.ReloadingFile;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The access control of one service: its access filter, and its TLS configuration if there is one.
 * Must be closed after the service.
 */
public final class AccessControl implements AutoCloseable {

  /** The name that the token of a local service stands for. */
  public static final String LOCAL = "local";

  private final AccessFilter accessFilter;
  private final Optional<ServiceTls> tls;
  private final boolean clearText;
  private final SiteRegistrationRules sites;
  private final Optional<AddressPolicy> connections;
  private final Optional<Supplier<RevocationLists>> revocationLists;

  private AccessControl(
      AccessFilter accessFilter,
      Optional<ServiceTls> tls,
      boolean clearText,
      SiteRegistrationRules sites,
      Optional<AddressPolicy> connections,
      Optional<Supplier<RevocationLists>> revocationLists) {
    this.connections = connections;
    this.revocationLists = revocationLists;
    this.sites = sites;
    this.accessFilter = accessFilter;
    this.tls = tls;
    this.clearText = clearText;
  }

  /**
   * Access control of a service for this machine only: a caller with the token may do everything,
   * with sites on this machine.
   *
   * @param audit closed with this object
   */
  public static AccessControl local(Supplier<char[]> token, AuditSink audit) {
    return new AccessControl(
        new AccessFilter(
            new OriginPolicy(OriginPolicy.LOOPBACK, Set.of()),
            new Authentication(
                Optional.of(new StaticTokens(Map.of(LOCAL, token))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of()),
            () -> AccessPolicy.everythingFor("token:" + LOCAL),
            AccessSettings.REQUESTS_PER_CALLER,
            new Audit(audit, System::nanoTime),
            InstantSource.system()),
        Optional.empty(),
        false,
        SiteRegistrationRules.ofThisHost(AddressPolicy.allowing("127.0.0.0/8:*", "[::1]/128:*")),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Access control from an access file.
   *
   * @throws IllegalArgumentException if the access file, or a file that it names, is invalid
   * @throws java.io.UncheckedIOException if one of these files cannot be read
   */
  public static AccessControl of(Path file) {
    return of(file, AuditLog::new);
  }

  /**
   * Access control from an access file, with a default audit.
   *
   * @param audit the destination of audit lines if the file names none
   */
  public static AccessControl of(Path file, Supplier<AuditSink> audit) {
    return of(file, audit, Pace.OF_ADDRESS, System::nanoTime);
  }

  /**
   * Access control from an access file, with a pace and a clock.
   *
   * @param pace how often keys are fetched from an address
   * @param nanoTime the clock that measures the age of keys
   */
  static AccessControl of(Path file, Supplier<AuditSink> audit, Pace pace, LongSupplier nanoTime) {
    AccessSettings settings = AccessFileParser.read(file);
    Supplier<AccessPolicy> policy = policy(settings.policy());
    settings.tls().ifPresent(ServiceTls::factory); // Reports an error in the files now.
    Optional<StaticTokens> tokens =
        settings.tokens().isEmpty()
            ? Optional.empty()
            : Optional.of(new StaticTokens(settings.tokens()));
    Optional<SigningKeys> keys = settings.jwt().map(jwt -> keys(file, jwt, pace, nanoTime));
    Optional<Supplier<RevocationLists>> revocationLists =
        settings.revocationList().map(list -> revocationLists(list, settings));
    Authentication authentication =
        new Authentication(
            tokens,
            settings
                .jwt()
                .map(
                    jwt ->
                        new JwtVerifier(jwt.rules(), keys.orElseThrow(), InstantSource.system())),
            settings.users().map(AccessControl::passwords),
            settings.clientName(),
            revocationLists,
            keys.<List<AutoCloseable>>map(List::of).orElse(List.of()));
    Audit auditWriter =
        new Audit(
            settings
                .audit()
                .<AuditSink>map(to -> new AuditFile(to.file(), to.mostBytes(), to.files()))
                .orElseGet(audit),
            System::nanoTime);
    AccessFilter accessFilter =
        new AccessFilter(
            new OriginPolicy(hosts(settings), settings.origins()),
            authentication,
            policy,
            settings.requestsPerCaller(),
            auditWriter,
            InstantSource.system());
    return new AccessControl(
        accessFilter,
        settings.tls(),
        settings.clearText(),
        new SiteRegistrationRules(
            settings.sites().orElse(AddressPolicy.allowing()),
            settings.siteFiles(),
            settings.siteVariables()),
        settings.sites(),
        revocationLists);
  }

  /**
   * The host names to check. Without TLS they are always checked, since nothing else ties a page to
   * its host.
   */
  private static Set<String> hosts(AccessSettings settings) {
    if (settings.tls().isPresent()) {
      return settings.hosts();
    }
    Set<String> hosts = new HashSet<>(OriginPolicy.LOOPBACK);
    hosts.addAll(settings.hosts());
    return hosts;
  }

  private static Supplier<AccessPolicy> policy(Path file) {
    return ReloadingFile.of(file, AccessControl::parsePolicy, System::nanoTime);
  }

  private static AccessPolicy parsePolicy(byte[] json) {
    try {
      return AccessPolicyText.read(json);
    } catch (ProblemException e) {
      throw new IllegalArgumentException(
          "invalid access policy; field=%s: %s"
              .formatted(e.problem().members().getOrDefault("field", "-"), e.problem().detail()),
          e);
    }
  }

  private static PasswordVerifier passwords(Path file) {
    return new PasswordVerifier(
        ReloadingFile.of(file, PasswordVerifier::parseUsers, System::nanoTime), new SecureRandom());
  }

  private static Supplier<RevocationLists> revocationLists(Path file, AccessSettings settings) {
    List<X509Certificate> authorities =
        settings.tls().flatMap(ServiceTls::trust).map(Pem::readCertificates).orElse(List.of());
    try {
      return ReloadingFile.of(
          file, content -> RevocationLists.parse(content, authorities), System::nanoTime);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + "; file=" + file, e);
    }
  }

  private static SigningKeys keys(
      Path file, AccessSettings.Tokens jwt, Pace pace, LongSupplier nanoTime) {
    String issuer = jwt.rules().issuer();
    String keys = jwt.keys().orElse(issuer);
    if (!jwt.areFetched()) {
      Path keyFile = file.toAbsolutePath().resolveSibling(keys).normalize();
      SigningKeys.parse(ReloadingFile.readBytes(keyFile)); // Reports an error in the file now.
      return SigningKeys.from(() -> ReloadingFile.readBytes(keyFile), keys, Pace.OF_FILE, nanoTime);
    }
    JwksFetcher fetcher = new JwksFetcher(jwt.clearTextKeys(), jwt.trust().map(Pem::createContext));
    URI address = fetcher.requireSafe(URI.create(keys));
    Callable<byte[]> source =
        jwt.keys().isPresent()
            ? () -> fetcher.fetchKeys(address)
            : () -> fetcher.fetchKeysOfIssuer(issuer);
    return SigningKeys.from(source, keys, pace, nanoTime);
  }

  /**
   * Shows in {@code registry} how long the certificate of the service and the revocation lists are
   * valid; without TLS, or without lists, there is no such gauge. The certificate is read now, the
   * lists are those in force.
   *
   * @throws IllegalArgumentException if the files of the certificate are invalid
   */
  public void measure(MeterRegistry registry) {
    Instant expires = tls.isEmpty() ? null : tls.get().expires(); // Used until the service ends.
    if (expires != null) {
      ServiceCertificateMeters.show(registry, "service", () -> expires);
    }
    revocationLists.ifPresent(
        lists ->
            ServiceCertificateMeters.show(
                registry, "revocation_list", () -> lists.get().nextUpdate()));
  }

  /** The filter that every request passes. */
  public RequestAuthorizer requestAuthorizer() {
    return accessFilter;
  }

  /** The TLS configuration; empty for clear text. */
  public Optional<ServiceTls> tls() {
    return tls;
  }

  /** The rules for sites that are registered at the service. */
  public SiteRegistrationRules sites() {
    return sites;
  }

  /** The allowed addresses of all sites of the catalog; empty for any address. */
  public Optional<AddressPolicy> connections() {
    return connections;
  }

  /** Whether other hosts may reach the service: over TLS, or by an explicit setting. */
  public boolean mayBeReached() {
    return tls.isPresent() || clearText;
  }

  @Override
  public void close() {
    accessFilter.close();
  }
}
