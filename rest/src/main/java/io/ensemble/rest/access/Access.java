package io.ensemble.rest.access;

import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditFile;
import io.ensemble.rest.audit.AuditLog;
import io.ensemble.rest.audit.AuditSink;
import io.ensemble.rest.gate.Gate;
import io.ensemble.rest.gate.Origins;
import io.ensemble.rest.http.Gatekeeper;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.Jwts;
import io.ensemble.rest.identity.KeyAddress;
import io.ensemble.rest.identity.Passwords;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.SigningKeys.Pace;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.identity.Watched;
import io.ensemble.rest.policy.Policy;
import io.ensemble.rest.policy.PolicyText;
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
public final class Access implements AutoCloseable {

  /** The name that the token of a local service stands for. */
  public static final String LOCAL = "local";

  private final Gate gate;
  private final Optional<ServiceTls> tls;
  private final boolean clearText;
  private final SiteRules sites;
  private final Optional<AddressPolicy> connections;

  private Access(
      Gate gate,
      Optional<ServiceTls> tls,
      boolean clearText,
      SiteRules sites,
      Optional<AddressPolicy> connections) {
    this.connections = connections;
    this.sites = sites;
    this.gate = gate;
    this.tls = tls;
    this.clearText = clearText;
  }

  /**
   * Of a service on this machine alone: whoever has the token may do everything, with sites on this
   * machine.
   *
   * @param audit closed with it
   */
  public static Access local(Supplier<char[]> token, AuditSink audit) {
    return new Access(
        new Gate(
            new Origins(Origins.LOOPBACK, Set.of()),
            new Authentication(
                Optional.of(new StaticTokens(Map.of(LOCAL, token))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of()),
            () -> Policy.everythingFor("token:" + LOCAL),
            AccessSettings.REQUESTS_PER_CALLER,
            new Audit(audit, System::nanoTime),
            InstantSource.system()),
        Optional.empty(),
        false,
        SiteRules.ofThisHost(AddressPolicy.allowing("127.0.0.0/8:*", "[::1]/128:*")),
        Optional.empty());
  }

  /**
   * As a file says.
   *
   * @throws IllegalArgumentException if it, or a file that it names, cannot be meant
   * @throws java.io.UncheckedIOException if one cannot be read
   */
  public static Access of(Path file) {
    return of(file, AuditLog::new);
  }

  /**
   * As the other method.
   *
   * @param audit where lines go if the file does not say
   */
  public static Access of(Path file, Supplier<AuditSink> audit) {
    return of(file, audit, Pace.OF_ADDRESS, System::nanoTime);
  }

  /**
   * As the other method.
   *
   * @param pace of keys that come from an address
   * @param nanoTime by which keys grow old
   */
  static Access of(Path file, Supplier<AuditSink> audit, Pace pace, LongSupplier nanoTime) {
    AccessSettings settings = AccessText.read(file);
    Supplier<Policy> policy = policy(settings.policy());
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
                .map(jwt -> new Jwts(jwt.rules(), keys.orElseThrow(), InstantSource.system())),
            settings.users().map(Access::passwords),
            settings.clientName(),
            keys.<List<AutoCloseable>>map(List::of).orElse(List.of()));
    Audit lines =
        new Audit(
            settings
                .audit()
                .<AuditSink>map(to -> new AuditFile(to.file(), to.mostBytes(), to.files()))
                .orElseGet(audit),
            System::nanoTime);
    Gate gate =
        new Gate(
            new Origins(hosts(settings), settings.origins()),
            authentication,
            policy,
            settings.requestsPerCaller(),
            lines,
            InstantSource.system());
    return new Access(
        gate,
        settings.tls(),
        settings.clearText(),
        new SiteRules(
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
    Set<String> all = new HashSet<>(Origins.LOOPBACK);
    all.addAll(settings.hosts());
    return all;
  }

  private static Supplier<Policy> policy(Path file) {
    return Watched.of(file, Access::meant, System::nanoTime);
  }

  private static Policy meant(byte[] json) {
    try {
      return PolicyText.read(json);
    } catch (ProblemException e) {
      throw new IllegalArgumentException(
          "the policy cannot be meant; field=%s: %s"
              .formatted(e.problem().members().getOrDefault("field", "-"), e.problem().detail()),
          e);
    }
  }

  private static Passwords passwords(Path file) {
    return new Passwords(Watched.of(file, Passwords::read, System::nanoTime), new SecureRandom());
  }

  private static SigningKeys keys(
      Path file, AccessSettings.Tokens jwt, Pace pace, LongSupplier nanoTime) {
    String issuer = jwt.rules().issuer();
    String keys = jwt.keys().orElse(issuer);
    if (!jwt.areFetched()) {
      Path local = file.toAbsolutePath().resolveSibling(keys).normalize();
      SigningKeys.parse(Watched.bytes(local)); // What is wrong is told now.
      return SigningKeys.from(() -> Watched.bytes(local), keys, Pace.OF_FILE, nanoTime);
    }
    KeyAddress there = new KeyAddress(jwt.clearTextKeys(), jwt.trust().map(Pem::trusting));
    URI address = there.checked(URI.create(keys));
    Callable<byte[]> source =
        jwt.keys().isPresent() ? () -> there.keys(address) : () -> there.keysOf(issuer);
    return SigningKeys.from(source, keys, pace, nanoTime);
  }

  /** What every request goes through. */
  public Gatekeeper gatekeeper() {
    return gate;
  }

  /** Empty for clear text. */
  public Optional<ServiceTls> tls() {
    return tls;
  }

  /** What may be said of sites that are registered at the service. */
  public SiteRules sites() {
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
    gate.close();
  }
}
