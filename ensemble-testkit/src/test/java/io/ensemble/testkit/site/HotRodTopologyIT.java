package io.ensemble.testkit.site;

import static io.ensemble.testkit.site.SiteStoreContract.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.server.core.admin.embeddedserver.EmbeddedServerAdminOperationHandler;
import org.infinispan.server.hotrod.HotRodServer;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A strong store is refused if the servers do not report the owners of keys. */
@Timeout(90)
class HotRodTopologyIT {

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<AutoCloseable> open = new ArrayList<>(List.of(scheduler));

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private BoundedSite connect(SiteConfiguration configuration) {
    BoundedSite site = HotRod.connect(configuration, scheduler);
    open.add(site);
    return site;
  }

  private Deadline in(long millis) {
    return Deadline.after(Duration.ofMillis(millis), scheduler);
  }

  private static SiteException failure(CompletionStage<?> stage) {
    SiteException failure =
        catchThrowableOfType(SiteException.class, () -> RealTimeWait.forStage(stage));
    assertThat(failure).as("a failure").isNotNull();
    return failure;
  }

  private static void assertTopologyMissing(SiteException refused, String site) {
    assertThat(refused.reason()).isEqualTo(Reason.UNSUITABLE);
    assertThat(refused)
        .hasMessageContaining("requires a site of 3 nodes or more, or exactly 1")
        .hasMessageContaining("the site reports no topology of the store")
        .hasMessageContaining("store=s")
        .hasMessageContaining("site=" + site);
  }

  @Test
  void aLocalBackingCacheIsRefusedAndAPlainStoreTakesIt() {
    EmbeddedFederation federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(1));
    open.add(federation);
    EmbeddedSite lyon = federation.sites().get(0);
    createLocal(lyon.endpoints().get(0));
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).build());

    assertTopologyMissing(failure(site.open("s", StoreKind.ACCEPTOR, in(10_000))), "lyon");

    SiteStore plain = RealTimeWait.forStage(site.open("s", StoreKind.PLAIN, in(10_000)));
    RealTimeWait.forStage(plain.put(bytes("k"), bytes("v"), in(5_000)));
    assertThat(RealTimeWait.forStage(plain.read(bytes("k"), in(5_000)))).isPresent();
    assertThat(site.isSuspected()).isFalse();
  }

  private static void createLocal(InetSocketAddress node) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.addServer().host(node.getHostString()).port(node.getPort());
    builder.socketTimeout(60_000); // The default of 2 s is too short for a slow machine.
    try (RemoteCacheManager manager = new RemoteCacheManager(builder.build())) {
      manager
          .administration()
          .withFlags(AdminFlag.VOLATILE)
          .createCache(
              "s",
              new StringConfiguration(
                  "<local-cache><encoding media-type=\"application/octet-stream\"/></local-cache>"));
    }
  }

  /**
   * Starts a node whose server has a name of its own, so that servers do not find each other's
   * addresses.
   */
  private int startNamed(String name, String cluster) throws IOException {
    DefaultCacheManager manager =
        new DefaultCacheManager(
            new ParserRegistry()
                .parse(
                    """
                    <infinispan>
                      <jgroups>
                        <stack name="quiet" extends="tcp">
                          <TCP bind_addr="127.0.0.1" bind_port="0"/>
                          <LOCAL_PING stack.combine="REPLACE" stack.position="MPING"/>
                          <FD_SOCK2 stack.combine="REMOVE"/>
                        </stack>
                      </jgroups>
                      <cache-container shutdown-hook="DONT_REGISTER" statistics="false">
                        <transport stack="quiet" cluster="%s"/>
                        <jmx enabled="false"/>
                      </cache-container>
                    </infinispan>
                    """
                        .formatted(cluster),
                    null),
            true);
    open.add(manager);
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    HotRodServer server = new HotRodServer();
    open.add(server::stop);
    server.start(
        new HotRodServerConfigurationBuilder()
            .name(name)
            .host("127.0.0.1")
            .port(port)
            .adminOperationsHandler(new EmbeddedServerAdminOperationHandler())
            .build(),
        manager);
    server.postStart();
    return port;
  }

  @Test
  void serversThatAnnounceNoTopologyAreRefusedAndNothingStays() throws IOException {
    String cluster = "mute-" + UUID.randomUUID();
    int port = startNamed("a", cluster);
    startNamed("b", cluster);
    BoundedSite site =
        connect(SiteConfiguration.builder("mute").endpoint("127.0.0.1:" + port).build());

    SiteException refused = failure(site.create("s", StoreKind.ACCEPTOR, in(20_000)));

    assertTopologyMissing(refused, "mute");
    assertThat(refused.getSuppressed()).isEmpty();
    assertThat(failure(site.open("s", StoreKind.PLAIN, in(5_000))).reason())
        .isEqualTo(Reason.STORE_LOST);
  }
}
