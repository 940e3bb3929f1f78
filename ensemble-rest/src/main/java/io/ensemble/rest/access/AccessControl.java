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
import io.ensemble.rest.identity.ReloadingFile;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.SigningKeys.Pace;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.policy.AccessPolicy;
import io.ensemble.rest.policy.AccessPolicyText;
import io.ensemble.site.address.AddressPolicy;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
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
 * Who may do what at one service, ready to be used: its gate, and its TLS if it has some. To be
 * closed after the service.
 */
public final class AccessControl implements AutoCloseable {

  /** The name that the token of a local service stands for. */
  public static final String LOCAL = "local";

  private final AccessFilter accessFilter;
  private final Optional<ServiceTls> tls;
  private final boolean clearText;
  private final SiteRegistrationRules sites;
  private final Optional<AddressPolicy> connections;

  private AccessControl(
      AccessFilter accessFilter,
      Optional<ServiceTls> tls,
      boolean clearText,
      SiteRegistrationRules sites,
      Optional<AddressPolicy> connections) {
    this.connections = connections;
    this.sites = sites;
    this.accessFilter = accessFilter;
    this.tls = tls;
    this.clearText = clearText;
  }

  /**
   * Of a service on this machine alone: whoever has the token may do everything, with sites on this
   * machine.
   *
   * @param audit closed with it
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
        Optional.empty());
  }

  /**
   * As a file says.
   *
   * @throws IllegalArgumentException if it, or a file that it names, cannot be meant
   * @throws java.io.UncheckedIOException if one cannot be read
   */
  public static AccessControl of(Path file) {
    return of(file, AuditLog::new);
  }

  /**
   * As the other method.
   *
   * @param audit where lines go if the file does not say
   */
  public static AccessControl of(Path file, Supplier<AuditSink> audit) {
    return of(file, audit, Pace.OF_ADDRESS, System::nanoTime);
  }

  /**
   * As the other method.
   *
   * @param pace of keys that come from an address
   * @param nanoTime by which keys grow old
   */
  static AccessControl of(Path file, Supplier<AuditSink> audit, Pace pace, LongSupplier nanoTime) {
    AccessSettings settings = AccessFileParser.read(file);
    Supplier<AccessPolicy> policy = policy(settings.policy());
    settings.tls().ifPresent(ServiceTls::factory); // What is wrong is told now.
    Optional<StaticTokens> tokens =
        settings.tokens().isEmpty()
            ? Optional.empty()
            : Optional.of(new StaticTokens(settings.tokens()));
    Optional<SigningKeys> keys = settings.jwt().map(jwt -> keys(file, jwt, pace, nanoTime));
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
            keys.<List<AutoCloseable>>map(List::of).orElse(List.of()));
    Audit lines =
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
            lines,
            InstantSource.system());
    return new AccessControl(
        accessFilter,
        settings.tls(),
        settings.clearText(),
        new SiteRegistrationRules(
            settings.sites().orElse(AddressPolicy.allowing()),
            settings.siteFiles(),
            settings.siteVariables()),
        settings.sites());
  }

  /** In clear text the names are always checked: there nothing else ties a page to its host. */
  private static Set<String> hosts(AccessSettings settings) {
    if (settings.tls().isPresent()) {
      return settings.hosts();
    }
    Set<String> all = new HashSet<>(OriginPolicy.LOOPBACK);
    all.addAll(settings.hosts());
    return all;
  }

  private static Supplier<AccessPolicy> policy(Path file) {
    return ReloadingFile.of(file, AccessControl::meant, System::nanoTime);
  }

  private static AccessPolicy meant(byte[] json) {
    try {
      return AccessPolicyText.read(json);
    } catch (ProblemException e) {
      throw new IllegalArgumentException(
          "the policy cannot be meant; field=%s: %s"
              .formatted(e.problem().members().getOrDefault("field", "-"), e.problem().detail()),
          e);
    }
  }

  private static PasswordVerifier passwords(Path file) {
    return new PasswordVerifier(
        ReloadingFile.of(file, PasswordVerifier::read, System::nanoTime), new SecureRandom());
  }

  private static SigningKeys keys(
      Path file, AccessSettings.Tokens jwt, Pace pace, LongSupplier nanoTime) {
    String issuer = jwt.rules().issuer();
    String keys = jwt.keys().orElse(issuer);
    if (!jwt.areFetched()) {
      Path local = file.toAbsolutePath().resolveSibling(keys).normalize();
      SigningKeys.parse(ReloadingFile.bytes(local)); // What is wrong is told now.
      return SigningKeys.from(() -> ReloadingFile.bytes(local), keys, Pace.OF_FILE, nanoTime);
    }
    JwksFetcher there = new JwksFetcher(jwt.clearTextKeys(), jwt.trust().map(Pem::trusting));
    URI address = there.checked(URI.create(keys));
    Callable<byte[]> source =
        jwt.keys().isPresent() ? () -> there.keys(address) : () -> there.keysOf(issuer);
    return SigningKeys.from(source, keys, pace, nanoTime);
  }

  /** What every request goes through. */
  public RequestAuthorizer gatekeeper() {
    return accessFilter;
  }

  /** Empty for clear text. */
  public Optional<ServiceTls> tls() {
    return tls;
  }

  /** What may be said of sites that are registered at the service. */
  public SiteRegistrationRules sites() {
    return sites;
  }

  /** Where all sites of the catalog may be; empty for anywhere. */
  public Optional<AddressPolicy> connections() {
    return connections;
  }

  /** Whether others than this machine may reach the service: over TLS, or by an explicit word. */
  public boolean mayBeReached() {
    return tls.isPresent() || clearText;
  }

  @Override
  public void close() {
    accessFilter.close();
  }
}
