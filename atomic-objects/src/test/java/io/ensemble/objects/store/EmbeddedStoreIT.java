package io.ensemble.objects.store;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Three nodes, a store on each. */
class EmbeddedStoreIT extends ObjectStoreContract {

  private static EmbeddedCluster cluster;
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start(3);
    stores =
        IntStream.range(0, 3)
            .<ObjectStore>mapToObj(i -> new EmbeddedStore(cluster.cache(i)))
            .toList();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }
}
