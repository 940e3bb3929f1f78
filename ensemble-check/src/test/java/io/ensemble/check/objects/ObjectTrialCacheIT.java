package io.ensemble.check.objects;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.workload.VersionedKind;
import io.ensemble.testkit.link.Ports;
import io.ensemble.versioning.IndexType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.server.core.admin.embeddedserver.EmbeddedServerAdminOperationHandler;
import org.infinispan.server.hotrod.HotRodServer;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;
import org.infinispan.tasks.TaskContext;
import org.infinispan.util.concurrent.BlockingManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cache of a trial's objects, on a site that creates caches slowly. */
@Timeout(120)
class ObjectTrialCacheIT {

  private static final String CACHE = "trial";
  private static final String MAKE = "@@cache@getorcreate";
  private static final String REMOVE = "@@cache@remove";

  private static final ObjectRequest REQUEST =
      new ObjectRequest(
          new VersionedKind(IndexType.AUTO),
          ObjectStoreKind.HOTROD,
          false,
          1,
          1,
          1,
          1,
          Duration.ofSeconds(1),
          1,
          Set.of(),
          50,
          Duration.ofSeconds(10));

  /** Takes 2.5 s for each task. The cache exists beforehand. By default, a client waits for 2 s. */
  private static final class Slow extends EmbeddedServerAdminOperationHandler {
    final List<String> tasks = new CopyOnWriteArrayList<>();

    @Override
    public <T> CompletionStage<T> runTask(
        String name, TaskContext context, BlockingManager blocking) {
      tasks.add(name);
      return CompletableFuture.supplyAsync(
              () -> name.equals(MAKE), CompletableFuture.delayedExecutor(2_500, MILLISECONDS))
          .thenCompose(
              making ->
                  making
                      ? CompletableFuture.completedFuture(null)
                      : super.runTask(name, context, blocking));
    }
  }

  @Test
  void aSiteMayTakeLongerToMakeAndRemoveACacheThanClientsWaitForACall() throws Exception {
    int port = Ports.reserve(1);
    Slow slow = new Slow();
    try (DefaultCacheManager node =
        new DefaultCacheManager(new GlobalConfigurationBuilder().build())) {
      node.createCache(CACHE, new ConfigurationBuilder().build());
      HotRodServer server = new HotRodServer();
      server.start(
          new HotRodServerConfigurationBuilder()
              .host("127.0.0.1")
              .port(port)
              .adminOperationsHandler(slow)
              .build(),
          node);
      try {
        server.postStart();
        SiteDescriptor site = new SiteDescriptor("lyon", List.of("127.0.0.1:" + port));

        ObjectTrialCache home = ObjectTrialCache.create(REQUEST, List.of(site), "none", CACHE);
        home.close();

        assertThat(slow.tasks).containsExactly(MAKE, REMOVE);
        assertThat(node.cacheExists(CACHE)).isFalse();
      } finally {
        server.stop();
      }
    }
  }
}
