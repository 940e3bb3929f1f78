package io.ensemble.objects.store;

import java.util.List;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on a single node. */
class EmbeddedObjectStoreTest extends ObjectStoreContract {

  private static DefaultCacheManager manager;
  private static ObjectStore store;

  @BeforeAll
  static void start() {
    GlobalConfigurationBuilder global = new GlobalConfigurationBuilder();
    global.jmx().disable().metrics().gauges(false).histograms(false);
    manager = new DefaultCacheManager(global.nonClusteredDefault().build());
    manager.defineConfiguration("objects", EmbeddedObjectStore.configuration(false).build());
    store = new EmbeddedObjectStore(manager.getCache("objects"));
  }

  @AfterAll
  static void stop() {
    manager.stop();
  }

  @Override
  List<ObjectStore> stores() {
    return List.of(store);
  }
}
