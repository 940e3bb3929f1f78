package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.site.hotrod.configuration.Tls;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates stores. Where this process authenticates to the site, the site is asked to check the
 * permissions of each user of the store. A site that authenticates users but has no roles cannot
 * check them. There, every authenticated user has all permissions.
 */
final class StoreCreator {

  private static final Logger LOG = LoggerFactory.getLogger(StoreCreator.class);

  /** The cache requires roles, and the site has none. */
  private static final String NO_ROLES = "ISPN000414";

  /** Cached once known, because a change requires a new configuration of the site's servers. */
  private volatile boolean withoutRoles;

  /** Creates the store by {@code one}, a client of one node of {@code site}. */
  boolean run(String store, StoreKind kind, SiteConfiguration site, RemoteCacheManager one) {
    Tls tls = site.tls();
    boolean known = site.credentials() != null || (tls != null && tls.keyStore() != null);
    if (known && !withoutRoles) {
      try {
        create(store, kind, site, one, true);
        return true;
      } catch (HotRodClientException failure) {
        if (!String.valueOf(failure.getMessage()).contains(NO_ROLES)) {
          throw failure;
        }
        // The site has kept the name, and would take the next store of that name for one already
        // created.
        one.administration().removeCache(store);
        withoutRoles = true;
        LOG.debug("the site has no roles; site={} store={}", site.name(), store);
      }
    }
    create(store, kind, site, one, false);
    return true;
  }

  private static void create(
      String store,
      StoreKind kind,
      SiteConfiguration site,
      RemoteCacheManager one,
      boolean guarded) {
    one.administration()
        .withFlags(lifetime(site.storage()))
        .createCache(store, new StringConfiguration(StoreXml.of(kind, site.storage(), guarded)));
  }

  /**
   * The flags for the lifetime of the store: unless a cache is marked volatile, a site defines it
   * again at every start.
   */
  private static AdminFlag[] lifetime(SiteStorage storage) {
    return storage == SiteStorage.DISK ? new AdminFlag[0] : new AdminFlag[] {AdminFlag.VOLATILE};
  }
}
