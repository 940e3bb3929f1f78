package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class HotRodClientIT {

  @Test
  void afterARenewalStoresGoOnAndLostOnesSaySo() throws Exception {
    try (EmbeddedFederation federation =
            EmbeddedFederation.start(
                EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(1));
        ThreadScheduler scheduler = new ThreadScheduler(2)) {
      HotRodClient client =
          new HotRodClient(() -> configuration(federation), scheduler, new HotRodResponses("lyon"));
      HotRodSiteStore kept = client.store(StoreKind.PLAIN, created(client, "kept"));
      HotRodSiteStore lost = client.store(StoreKind.PLAIN, created(client, "lost"));
      RemoteCache<byte[], byte[]> beingOpened = created(client, "opened");
      client.manager().administration().removeCache("lost");

      client.renew();

      assertThat(failure(kept, scheduler)).isNull();
      assertThat(((SiteException) failure(lost, scheduler)).reason()).isEqualTo(Reason.STORE_LOST);
      assertThatThrownBy(() -> client.store(StoreKind.PLAIN, beingOpened))
          .isInstanceOf(SiteException.class)
          .hasMessageContaining("was replaced");
      client.close();
    }
  }

  @ParameterizedTest
  @EnumSource(StoreKind.class)
  void afterARenewalAStoreThatWasThereAndOpenedGoesOn(StoreKind kind) throws Exception {
    try (EmbeddedFederation federation =
            EmbeddedFederation.start(
                EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(1));
        ThreadScheduler scheduler = new ThreadScheduler(2)) {
      HotRodSite site = new HotRodSite(() -> configuration(federation), scheduler);
      Deadline deadline = Deadline.after(Duration.ofSeconds(30), scheduler);
      site.create("there", kind, deadline).toCompletableFuture().get(30, TimeUnit.SECONDS);
      SiteStore opened =
          site.open("there", kind, deadline).toCompletableFuture().get(30, TimeUnit.SECONDS);

      site.renewClient();

      assertThat(failure(opened, scheduler)).isNull();
      site.close();
    }
  }

  private static SiteConfiguration configuration(EmbeddedFederation federation) {
    EmbeddedSite lyon = federation.site("lyon");
    SiteConfiguration.Builder builder = SiteConfiguration.builder("lyon");
    lyon.endpoints()
        .forEach(node -> builder.endpoint(new Endpoint(node.getHostString(), node.getPort())));
    return builder.build();
  }

  private static RemoteCache<byte[], byte[]> created(HotRodClient client, String store) {
    client
        .manager()
        .administration()
        .withFlags(AdminFlag.VOLATILE)
        .createCache(
            store,
            new StringConfiguration(StoreXml.of(StoreKind.PLAIN, SiteStorage.MEMORY, false)));
    return client.manager().getCache(store);
  }

  private static Throwable failure(SiteStore store, ThreadScheduler scheduler) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(20), scheduler);
    Throwable failure =
        catchThrowable(
            () ->
                store
                    .get(Bytes.of((byte) 1), deadline)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS));
    return failure instanceof ExecutionException ? failure.getCause() : failure;
  }
}
