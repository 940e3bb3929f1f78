package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.embedded.SharedFederation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.configuration.NearCacheMode;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A site of three nodes, and three clients. */
class HotRodObjectStoreIT extends ObjectStoreContract {

  private static final String ODD = "objects \"of\" <all> & 100 %s é";
  private static final String ENCODED = "encoded";

  private static final List<RemoteCacheManager> CLIENTS = new ArrayList<>();
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    for (int i = 0; i < 3; i++) {
      CLIENTS.add(new RemoteCacheManager(configuration().build()));
    }
    stores =
        CLIENTS.stream()
            .<ObjectStore>map(c -> new HotRodObjectStore(HotRodObjectStore.cache(c, ODD)))
            .toList();
  }

  private static ConfigurationBuilder configuration() {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    SharedFederation.threeNodes()
        .site("lyon")
        .endpoints()
        .forEach(at -> builder.addServer().host(at.getHostString()).port(at.getPort()));
    builder.socketTimeout(60_000); // The default of 2 s is too short for a slow machine.
    return builder;
  }

  @AfterAll
  static void stop() {
    List.of(ODD, ENCODED).forEach(CLIENTS.get(0).administration()::removeCache);
    CLIENTS.forEach(RemoteCacheManager::close);
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }

  @Test
  void aCacheIsCreatedOnceAndFoundAgain() {
    HotRodObjectStore again = new HotRodObjectStore(HotRodObjectStore.cache(CLIENTS.get(2), ODD));
    done(store().put("object/again", bytes(1)));

    assertThat(done(again.read("object/again")).orElseThrow().value()).isEqualTo(bytes(1));
  }

  @Test
  void aCacheThatSaysHowItsValuesAreEncodedHoldsBytesAllTheSame() {
    RemoteCache<Object, Object> encoded =
        CLIENTS
            .get(0)
            .administration()
            .withFlags(AdminFlag.VOLATILE)
            .getOrCreateCache(
                ENCODED,
                new StringConfiguration(
                    "<distributed-cache><encoding"
                        + " media-type=\"application/x-protostream\"/></distributed-cache>"));
    HotRodObjectStore store = new HotRodObjectStore(encoded);

    done(store.create("object/k", bytes(1)));
    ObjectStore.Entry entry = done(store.read("object/k")).orElseThrow();

    assertThat(entry.value()).isEqualTo(bytes(1));
    assertThat(done(store.replace("object/k", entry.token(), bytes(2))).done()).isTrue();
    assertThat(done(store.read("object/k")).orElseThrow().value()).isEqualTo(bytes(2));
  }

  @Test
  void aClientThatAsksAnyNodeIsRefused() {
    ConfigurationBuilder basic = configuration().clientIntelligence(ClientIntelligence.BASIC);

    try (RemoteCacheManager client = new RemoteCacheManager(basic.build())) {
      RemoteCache<byte[], byte[]> cache = HotRodObjectStore.cache(client, ODD);
      assertThatThrownBy(() -> new HotRodObjectStore(cache))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("BASIC");
    }
  }

  @Test
  void aNearCacheIsRefused() {
    ConfigurationBuilder near = configuration();
    near.remoteCache(ODD).nearCacheMode(NearCacheMode.INVALIDATED).nearCacheMaxEntries(10);

    try (RemoteCacheManager client = new RemoteCacheManager(near.build())) {
      RemoteCache<byte[], byte[]> cache = HotRodObjectStore.cache(client, ODD);
      assertThatThrownBy(() -> new HotRodObjectStore(cache))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("near");
    }
  }

  @Test
  void aClientThatIsClosedFailsTheStage() {
    RemoteCacheManager client = new RemoteCacheManager(configuration().build());
    HotRodObjectStore store = new HotRodObjectStore(HotRodObjectStore.cache(client, ODD));
    client.close();

    assertThat(store.read("object/k")).failsWithin(Duration.ofSeconds(20));
  }
}
