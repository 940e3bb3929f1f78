package io.ensemble.site.hotrod.configuration;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.CertificateExpiry.Kind;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressResolver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads when the certificates and the revocation lists of a site expire. A connection of its own
 * shows the certificate that a node presents now; the connections of the client may be older than a
 * renewed certificate. Nothing is sent after the handshake.
 */
public final class SiteCertificates {

  private static final Logger LOG = LoggerFactory.getLogger(SiteCertificates.class);
  private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(10);

  private SiteCertificates() {}

  /**
   * The certificates and lists of {@code site}. Blocks, for each endpoint at most ten seconds and
   * the resolution of its name; endpoints after the deadline are not asked, so they are unknown.
   *
   * @param tls the settings of the site
   */
  public static List<CertificateExpiry> read(
      SiteConfiguration site, Tls tls, Scheduler scheduler, Deadline deadline) {
    return read(site, tls, scheduler, deadline, LONGEST_HANDSHAKE);
  }

  static List<CertificateExpiry> read(
      SiteConfiguration site,
      Tls tls,
      Scheduler scheduler,
      Deadline deadline,
      Duration longestHandshake) {
    List<CertificateExpiry> all = new ArrayList<>();
    Path keyStore = tls.keyStore();
    Supplier<char[]> password = tls.keyStorePassword();
    if (keyStore != null && password != null) {
      all.add(
          new CertificateExpiry(
              Kind.CLIENT, keyStore.toString(), known(() -> firstOf(keyStore, password))));
    }
    Path lists = tls.revocationList();
    if (lists != null) {
      all.add(
          new CertificateExpiry(
              Kind.REVOCATION_LIST,
              lists.toString(),
              known(
                  () -> nextUpdate(RevocationTrustManager.parse(ReloadingFile.readLists(lists))))));
    }
    for (Endpoint node : site.endpoints()) {
      Instant expires =
          deadline.hasPassed(scheduler)
              ? null
              : known(() -> presented(site, tls, node, scheduler, longestHandshake));
      all.add(new CertificateExpiry(Kind.SERVER, node.host() + ":" + node.port(), expires));
    }
    return all;
  }

  /** A reading that may fail, in a way that the use of the site reports. */
  private interface Reading {
    @Nullable Instant read() throws IOException, GeneralSecurityException;
  }

  private static @Nullable Instant known(Reading reading) {
    try {
      return reading.read();
    } catch (IOException | GeneralSecurityException | RuntimeException unknown) {
      LOG.debug("an expiry cannot be read", unknown);
      return null;
    }
  }

  private static @Nullable Instant firstOf(Path file, Supplier<char[]> password)
      throws IOException, GeneralSecurityException {
    KeyStore store = SiteTlsContext.store(file, Tls.storeType(file), password);
    List<X509Certificate> own = new ArrayList<>();
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        for (Certificate one : store.getCertificateChain(alias)) {
          own.add((X509Certificate) one);
        }
      }
    }
    return first(own);
  }

  /** The first end of the certificates; null if there are none. */
  private static @Nullable Instant first(Collection<X509Certificate> certificates) {
    return certificates.stream()
        .map(one -> one.getNotAfter().toInstant())
        .min(Instant::compareTo)
        .orElse(null);
  }

  /**
   * The first time at which an issuer has no current list; null if no list names its next update.
   * Only complete lists count, as in the check of certificates.
   */
  public static @Nullable Instant nextUpdate(Collection<X509CRL> lists) {
    Map<X500Principal, Instant> latest = new HashMap<>(); // A newer list replaces an older one.
    for (X509CRL list : lists) {
      Set<String> limits = list.getCriticalExtensionOIDs();
      if (list.getNextUpdate() != null && (limits == null || limits.isEmpty())) {
        latest.merge(
            list.getIssuerX500Principal(),
            list.getNextUpdate().toInstant(),
            (one, other) -> one.isAfter(other) ? one : other);
      }
    }
    return latest.values().stream().min(Instant::compareTo).orElse(null);
  }

  private static @Nullable Instant presented(
      SiteConfiguration site, Tls tls, Endpoint node, Scheduler scheduler, Duration longest)
      throws IOException {
    AtomicReference<X509Certificate @Nullable []> shown = new AtomicReference<>();
    SSLContext context = SiteTlsContext.observed(tls, shown::set);
    try {
      shakeHands(context, site, tls, node, scheduler, longest);
    } catch (IOException rejected) {
      if (shown.get() == null) {
        throw rejected;
      }
    }
    X509Certificate[] chain = Objects.requireNonNull(shown.get());
    Set<X509Certificate> trusted = SiteTlsContext.trusted(tls);
    // The expiry of a trusted certificate is not checked in a handshake.
    return first(Arrays.stream(chain).filter(one -> !trusted.contains(one)).toList());
  }

  private static void shakeHands(
      SSLContext context,
      SiteConfiguration site,
      Tls tls,
      Endpoint node,
      Scheduler scheduler,
      Duration longest)
      throws IOException {
    String name = tls.sniHostName();
    String expected = name == null ? site.endpoints().get(0).host() : name;
    try (Socket plain = new Socket()) {
      Scheduler.Timer bound = scheduler.after(longest.toNanos(), () -> closeQuietly(plain));
      try {
        plain.connect(address(site.addresses(), node), Math.toIntExact(longest.toMillis()));
        try (SSLSocket secured =
            (SSLSocket)
                context.getSocketFactory().createSocket(plain, expected, node.port(), true)) {
          SSLParameters parameters = secured.getSSLParameters();
          parameters.setServerNames(List.of(new SNIHostName(expected)));
          secured.setSSLParameters(parameters);
          secured.startHandshake();
        }
      } finally {
        bound.cancel();
      }
    }
  }

  private static InetSocketAddress address(@Nullable AddressPolicy policy, Endpoint node)
      throws IOException {
    return policy == null
        ? new InetSocketAddress(node.host(), node.port())
        : policy.admit(node.host(), node.port(), AddressResolver.SYSTEM);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException closed) {
      LOG.debug("a connection cannot be closed", closed);
    }
  }
}
