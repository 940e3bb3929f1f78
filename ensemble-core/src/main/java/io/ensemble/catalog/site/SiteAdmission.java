package io.ensemble.catalog.site;

import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressResolver;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Admits a site that an untrusted party has described. If a rule allows the network of a name's
 * address, the entry contains the address instead of the name. Every later connection then goes to
 * the checked address; the certificate must still have the name. If only the name is allowed, the
 * name stays. {@link io.ensemble.EnsembleCacheManagerBuilder#siteAddresses} then decides by the
 * name, and checks the address at the time of the connection.
 */
public final class SiteAdmission {

  private SiteAdmission() {}

  /**
   * The entry, with names and addresses that {@code policy} allows. Waits for the resolver.
   *
   * @throws io.ensemble.site.address.AddressRefusedException if an endpoint is not allowed
   * @throws IllegalArgumentException if an endpoint is no host, or is a name without addresses
   */
  public static SiteEntry of(SiteEntry site, AddressPolicy policy, AddressResolver resolver) {
    List<Endpoint> admitted = new ArrayList<>();
    for (Endpoint endpoint : site.endpoints()) {
      Endpoint at = admitted(endpoint, policy, resolver);
      if (!admitted.contains(at)) { // Two names may have the same address.
        admitted.add(at);
      }
    }
    return new SiteEntry(
        site.name(),
        admitted,
        site.credentials(),
        site.tls().map(tls -> named(tls, site.endpoints().get(0).host())),
        site.storage(),
        site.labels(),
        site.state(),
        site.revision());
  }

  private static Endpoint admitted(
      Endpoint endpoint, AddressPolicy policy, AddressResolver resolver) {
    try {
      InetSocketAddress at = policy.admit(endpoint.host(), endpoint.port(), resolver);
      String address = at.getAddress().getHostAddress();
      boolean byItself = policy.allows(address, at.getPort());
      return new Endpoint(byItself ? address : endpoint.host(), at.getPort());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "the host name does not resolve to an address; host=" + endpoint.host(), e);
    }
  }

  private static TlsReference named(TlsReference tls, String host) {
    return tls.sniHostName().isPresent()
        ? tls
        : new TlsReference(
            tls.trustStore(),
            tls.password(),
            tls.keyStore(),
            tls.keyStorePassword(),
            Optional.of(host),
            tls.revocationList());
  }
}
