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
 * How a store is created. Where we are somebody to the site, the site is asked to check what each
 * user may do to the store; one that lets users in and knows no roles cannot, and everybody whom it
 * lets in may then do everything.
 */
final class StoreCreator {

  private static final Logger LOG = LoggerFactory.getLogger(StoreCreator.class);

  /** The cache wants roles, and the site has none. */
  private static final String NO_ROLES = "ISPN000414";

  /** What the site has told once; its servers would have to be configured anew. */
  private volatile boolean withoutRoles;

  /** Creates it by {@code one}, a client of one node of {@code site}. */
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
        // It has kept the name, and would take the next one of that name for created already.
        one.administration().removeCache(store);
        withoutRoles = true;
        LOG.debug("the site knows no roles; site={} store={}", site.name(), store);
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

  /** Unless it is told that a cache is volatile, a site defines it anew whenever it starts. */
  private static AdminFlag[] lifetime(SiteStorage storage) {
    return storage == SiteStorage.DISK ? new AdminFlag[0] : new AdminFlag[] {AdminFlag.VOLATILE};
  }
}
