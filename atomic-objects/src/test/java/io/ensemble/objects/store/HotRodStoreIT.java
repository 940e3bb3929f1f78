package io.ensemble.objects.store;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A site of three nodes, and three clients. */
class HotRodStoreIT extends ObjectStoreContract {

  private static final String ODD = "objects \"of\" <all> & 100 %s é";

  private static EmbeddedFederation federation;
  private static final List<RemoteCacheManager> CLIENTS = new ArrayList<>();
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(3));
    for (int i = 0; i < 3; i++) {
      CLIENTS.add(new RemoteCacheManager(configuration().build()));
    }
    stores =
        CLIENTS.stream().<ObjectStore>map(c -> new HotRodStore(HotRodStore.cache(c, ODD))).toList();
  }

  private static ConfigurationBuilder configuration() {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    federation
        .site("lyon")
        .endpoints()
        .forEach(at -> builder.addServer().host(at.getHostString()).port(at.getPort()));
    return builder;
  }

  @AfterAll
  static void stop() {
    CLIENTS.forEach(RemoteCacheManager::close);
    federation.close();
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }
}
