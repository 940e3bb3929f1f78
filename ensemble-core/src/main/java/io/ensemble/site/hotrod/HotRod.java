package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Where sites over Hot Rod come from. */
public final class HotRod {

  private HotRod() {}

  /**
   * A site over Hot Rod, bounded as its configuration says. Returns at once, whether the site is up
   * or not: it connects when the first store is created or opened. The site's stages complete on
   * {@code scheduler}, which must end after the site is closed.
   *
   * @throws IllegalArgumentException when the trust store, or the key store, cannot be read
   */
  public static BoundedSite connect(SiteConfiguration configuration, Scheduler scheduler) {
    return connect(() -> configuration, scheduler);
  }

  /**
   * As the other method, of a site that may come to be elsewhere, or entered otherwise: each
   * connection that is set up is made as {@code where} says then. Its name and limits stay.
   */
  public static BoundedSite connect(Supplier<SiteConfiguration> where, Scheduler scheduler) {
    SiteConfiguration configuration = where.get();
    Tls tls = configuration.tls();
    if (tls != null) {
      requireReadable("trust store", tls.trustStore(), configuration);
      if (tls.keyStore() != null) {
        requireReadable("key store", tls.keyStore(), configuration);
      }
    }
    HotRodSite site = new HotRodSite(where, scheduler);
    return new BoundedSite(site, configuration.limits(), scheduler);
  }

  /** The node at {@code endpoint}, as {@link io.ensemble.site.Site#nodeOf} names it. */
  public static String nodeAt(Endpoint endpoint) {
    return NodeKey.of(endpoint);
  }

  /** Whether a store of that name is on one node of its site, which alone has what it holds. */
  public static boolean isOnOneNode(String store) {
    return NodeKey.in(store).isPresent();
  }

  private static void requireReadable(String what, Path store, SiteConfiguration site) {
    if (!Files.isReadable(store)) {
      throw new IllegalArgumentException(
          "TLS wants a %s that can be read; got %s; site=%s".formatted(what, store, site.name()));
    }
  }
}
