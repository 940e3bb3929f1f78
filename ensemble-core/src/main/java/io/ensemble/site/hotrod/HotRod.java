package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The factory of sites over Hot Rod. */
public final class HotRod {

  private HotRod() {}

  /**
   * A site over Hot Rod, bounded by its configuration. Returns immediately, whether the site is up
   * or not: the site connects when the first store is created or opened. The site's stages complete
   * on {@code scheduler}, which must end after the site is closed.
   *
   * @throws IllegalArgumentException when the trust store, or the key store, cannot be read
   */
  public static BoundedSite connect(SiteConfiguration configuration, Scheduler scheduler) {
    return connect(() -> configuration, scheduler);
  }

  /**
   * A site over Hot Rod with endpoints or credentials that may change: each new connection uses the
   * configuration that {@code where} returns at that time. Its name and limits stay.
   */
  public static BoundedSite connect(Supplier<SiteConfiguration> where, Scheduler scheduler) {
    SiteConfiguration configuration = where.get();
    Tls tls = configuration.tls();
    if (tls != null) {
      requireReadable("trust store", tls.trustStore(), configuration);
      if (tls.keyStore() != null) {
        requireReadable("key store", tls.keyStore(), configuration);
      }
      if (tls.revocationList() != null) {
        requireReadable("file of revocation lists", tls.revocationList(), configuration);
      }
    }
    HotRodSite site = new HotRodSite(where, scheduler);
    return new BoundedSite(site, configuration.limits(), scheduler);
  }

  /** The node at {@code endpoint}, as named by {@link io.ensemble.site.Site#nodeOf}. */
  public static String nodeAt(Endpoint endpoint) {
    return NodeKey.of(endpoint);
  }

  /** Whether a store of that name is on one node of its site, which alone has its entries. */
  public static boolean isOnOneNode(String store) {
    return NodeKey.in(store).isPresent();
  }

  private static void requireReadable(String what, Path store, SiteConfiguration site) {
    if (!Files.isReadable(store)) {
      throw new IllegalArgumentException(
          "TLS requires a readable %s; got %s; site=%s".formatted(what, store, site.name()));
    }
  }
}
