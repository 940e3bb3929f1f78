package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.BoundedSite;
import java.nio.file.Files;

/** Where sites over Hot Rod come from. */
public final class HotRod {

  private HotRod() {}

  /**
   * A site over Hot Rod, bounded as its configuration says. Returns at once, whether the site is up
   * or not: it connects when the first store is created or opened. The site's stages complete on
   * {@code scheduler}, which must end after the site is closed.
   *
   * @throws IllegalArgumentException when the trust store cannot be read
   */
  public static BoundedSite connect(SiteConfiguration configuration, Scheduler scheduler) {
    Tls tls = configuration.tls();
    if (tls != null && !Files.isReadable(tls.trustStore())) {
      throw new IllegalArgumentException(
          "TLS wants a trust store that can be read; got %s; site=%s"
              .formatted(tls.trustStore(), configuration.name()));
    }
    HotRodSite site = new HotRodSite(configuration, scheduler);
    return new BoundedSite(site, configuration.limits(), scheduler);
  }
}
