package io.ensemble.testkit.site;

import static io.ensemble.testkit.site.SiteStoreContract.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSecurity;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.PasswordOverTls;
import io.ensemble.testkit.embedded.SharedFederation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class HotRodSiteFaultsIT {

  private static final SiteLimits SHORT = new SiteLimits(16, 16, Duration.ofMillis(500));

  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** The name of this test's store, which no other test of the shared sites uses. */
  private final String name = "faults-" + NUMBER.incrementAndGet();

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<AutoCloseable> open = new ArrayList<>(List.of(scheduler));

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private EmbeddedSite start(EmbeddedFederation.Options options) {
    EmbeddedFederation federation = EmbeddedFederation.start(options);
    open.add(federation);
    return federation.sites().get(0);
  }

  /** The shared site of one node; each test restores it. */
  private static EmbeddedSite oneNode() {
    return SharedFederation.threeSites().site("lyon");
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

  /**
   * Reads until the site is no longer suspected.
   *
   * @return the reason of the last failure
   */
  private Reason reasonOnceUnsuspected(BoundedSite site, SiteStore store) {
    return await("the site is no longer suspected")
        .atMost(Duration.ofSeconds(90))
        .until(() -> failure(store.read(bytes("k"), in(5_000))), any -> !site.isSuspected())
        .reason();
  }

  @Test
  void aKilledSiteIsUnreachableAndComesBackWithoutItsStores() {
    EmbeddedSite lyon = oneNode();
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).build());
    SiteStore store = RealTimeWait.forStage(site.create(name, StoreKind.ACCEPTOR, in(20_000)));
    assertThat(RealTimeWait.forStage(store.putIfAbsent(bytes("k"), bytes("v"), in(5_000))))
        .isTrue();

    lyon.kill();

    for (int i = 0; i < 8; i++) {
      assertThat(failure(store.read(bytes("k"), in(5_000))).reason()).isEqualTo(Reason.UNREACHABLE);
    }
    assertThat(site.isSuspected()).isTrue();
    assertThat(failure(store.read(bytes("k"), in(5_000)))).hasMessageContaining("not sent");

    lyon.restart();

    assertThat(reasonOnceUnsuspected(site, store)).isEqualTo(Reason.STORE_LOST);
    assertThat(failure(store.replace(bytes("k"), 1, bytes("w"), in(5_000))).reason())
        .isEqualTo(Reason.STORE_LOST);
    assertThat(failure(site.open(name, StoreKind.ACCEPTOR, in(5_000))).reason())
        .isEqualTo(Reason.STORE_LOST);
    SiteStore next =
        RealTimeWait.forStage(site.create(name + "/2", StoreKind.ACCEPTOR, in(20_000)));
    assertThat(RealTimeWait.forStage(next.read(bytes("k"), in(5_000)))).isEmpty();
    assertThat(site.inFlight()).isZero();
  }

  @Test
  void aSiteOfThreeOutlivesANode() {
    EmbeddedSite lyon = SharedFederation.threeNodes().site("lyon");
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).build());
    SiteStore store = RealTimeWait.forStage(site.create(name, StoreKind.ACCEPTOR, in(20_000)));
    for (int i = 0; i < 50; i++) {
      RealTimeWait.forStage(store.putIfAbsent(bytes("k" + i), bytes("v"), in(5_000)));
    }

    lyon.killNode(0);
    try {
      for (int i = 0; i < 50; i++) {
        String key = "k" + i;
        assertThat(RealTimeWait.forStage(readAgain(store, key, 20))).isTrue();
      }
      SiteStore reopened = RealTimeWait.forStage(site.open(name, StoreKind.ACCEPTOR, in(10_000)));
      assertThat(RealTimeWait.forStage(readAgain(reopened, "k1", 20))).isTrue();
    } finally {
      lyon.restartNode(0);
      // Before other steps that may fail: the next class that shares the site requires it.
      await("the node has its share")
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(() -> assertThat(lyon.imbalance()).isEmpty());
    }
    RealTimeWait.forStage(site.remove(name, in(20_000)));
  }

  /** A few reads fail until the client has detected the lost node; each ends by its deadline. */
  private CompletionStage<Boolean> readAgain(SiteStore store, String key, int times) {
    return store
        .read(bytes(key), in(3_000))
        .handle(
            (entry, failed) ->
                failed == null
                    ? CompletableFuture.completedStage(entry.isPresent())
                    : later(() -> readAgain(store, key, times - 1), times))
        .thenCompose(next -> next);
  }

  private CompletionStage<Boolean> later(Supplier<CompletionStage<Boolean>> next, int times) {
    assertThat(times).as("tries left").isPositive();
    var promise = new CompletableFuture<Boolean>();
    scheduler.after(
        100_000_000,
        () ->
            next.get()
                .whenComplete(
                    (found, failed) -> {
                      if (failed == null) {
                        promise.complete(found);
                      } else {
                        promise.completeExceptionally(failed);
                      }
                    }));
    return promise;
  }

  @Test
  void aStrongStoreIsRefusedByASiteOfTwoNodesAndNothingStays() {
    EmbeddedSite lyon =
        start(EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(2));
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).build());

    SiteException refused = failure(site.create(name, StoreKind.ACCEPTOR, in(20_000)));

    assertThat(refused.reason()).isEqualTo(Reason.UNSUITABLE);
    assertThat(refused).hasMessageContaining("3 nodes or more, or exactly 1");
    assertThat(refused).hasMessageContaining("the store has 2 nodes");
    assertThat(refused.getSuppressed()).isEmpty();
    assertThat(failure(site.open(name, StoreKind.PLAIN, in(5_000))).reason())
        .isEqualTo(Reason.STORE_LOST);
    assertThat(RealTimeWait.forStage(site.create(name, StoreKind.PLAIN, in(20_000))).site())
        .isEqualTo("lyon");
  }

  @Test
  void aSiteThatHangsCostsNobodyMoreThanItsDeadlineAndIsSuspected() {
    EmbeddedSite lyon = oneNode();
    SiteLimits few = new SiteLimits(16, 16, Duration.ofSeconds(6));
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).limits(few).build());
    SiteStore store = RealTimeWait.forStage(site.create(name, StoreKind.ACCEPTOR, in(20_000)));

    open.add(lyon::resume);
    lyon.hang();
    long began = System.nanoTime();
    List<CompletionStage<?>> calls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      calls.add(store.putIfAbsent(bytes("k" + i), bytes("v"), in(5_000)));
    }
    assertThat(site.inFlight()).isEqualTo(16);
    assertThat(site.waiting()).isEqualTo(16);
    List<Reason> reasons = calls.stream().map(call -> failure(call).reason()).toList();
    long tookMillis = (System.nanoTime() - began) / 1_000_000;

    assertThat(reasons.subList(0, 32)).containsOnly(Reason.TIMED_OUT);
    assertThat(reasons.subList(32, 40)).containsOnly(Reason.BUSY);
    assertThat(tookMillis).as("no call ends before its deadline").isGreaterThanOrEqualTo(4_900);
    assertThat(site.waiting()).isZero();

    SiteException last = failure(store.read(bytes("k"), in(20_000)));
    assertThat(last.reason()).isIn(Reason.TIMED_OUT, Reason.UNREACHABLE);

    lyon.resume();
    await("an answer")
        .atMost(Duration.ofSeconds(90))
        .until(
            () ->
                RealTimeWait.forStage(
                    store.read(bytes("k"), in(5_000)).handle((entry, failed) -> failed == null)));
    assertThat(site.isSuspected()).isFalse();
  }

  @Test
  void aServerThatAcceptsAndNeverAnswersTimesOut() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      BoundedSite site =
          connect(
              SiteConfiguration.builder("mute")
                  .endpoint("127.0.0.1:" + silent.getLocalPort())
                  .limits(SHORT)
                  .build());
      long began = System.nanoTime();

      SiteException failed = failure(site.open(name, StoreKind.ACCEPTOR, in(300)));

      assertThat(failed.reason()).isEqualTo(Reason.TIMED_OUT);
      assertThat((System.nanoTime() - began) / 1_000_000).isGreaterThanOrEqualTo(290);
      assertThat(failure(site.create(name, StoreKind.PLAIN, in(300))).reason())
          .isEqualTo(Reason.TIMED_OUT);
    }
  }

  @Test
  void aWrongPortIsUnreachable() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    BoundedSite site =
        connect(SiteConfiguration.builder("gone").endpoint("127.0.0.1:" + port).build());

    SiteException failed = failure(site.open(name, StoreKind.PLAIN, in(5_000)));

    assertThat(failed.reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(failed).hasMessageContaining("site=gone").hasMessageContaining("" + port);
    assertThat(failure(site.create(name, StoreKind.PLAIN, in(5_000))).reason())
        .isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void whoIsNotKnownOrNotTrustedIsNotAllowed(@TempDir Path directory) {
    PasswordOverTls security = EmbeddedSecurity.passwordOverTls("ada", "secret-1", directory);
    EmbeddedSite lyon =
        start(
            EmbeddedFederation.Options.defaults()
                .withSiteNames("lyon")
                .withNodesPerSite(1)
                .withSecurity(security));
    Tls tls = Tls.trusting(security.trustStore(), security.trustStorePassword().toCharArray());
    Credentials right = Credentials.of("ada", "secret-1".toCharArray());
    Credentials wrong = Credentials.of("ada", "secret-2".toCharArray());

    BoundedSite allowed =
        connect(
            EmbeddedSiteConfigurations.of(lyon)
                .tls(tls.withSniHostName("localhost"))
                .credentials(right)
                .build());
    SiteStore store = RealTimeWait.forStage(allowed.create(name, StoreKind.ACCEPTOR, in(20_000)));
    assertThat(RealTimeWait.forStage(store.putIfAbsent(bytes("k"), bytes("v"), in(5_000))))
        .isTrue();

    SiteException badPassword =
        failure(
            connect(
                    EmbeddedSiteConfigurations.of(lyon)
                        .tls(tls.withSniHostName("localhost"))
                        .credentials(wrong)
                        .build())
                .open(name, StoreKind.ACCEPTOR, in(60_000)));
    assertThat(badPassword.reason()).as("%s", badPassword).isEqualTo(Reason.NOT_ALLOWED);
    assertThat(badPassword.toString()).doesNotContain("secret");
    SiteException nobody =
        failure(
            connect(
                    EmbeddedSiteConfigurations.of(lyon)
                        .tls(tls.withSniHostName("localhost"))
                        .build())
                .open(name, StoreKind.ACCEPTOR, in(60_000)));
    assertThat(nobody.reason()).as("%s", nobody).isEqualTo(Reason.NOT_ALLOWED);
    SiteException otherName =
        failure(
            connect(
                    EmbeddedSiteConfigurations.of(lyon)
                        .tls(tls.withSniHostName("elsewhere.example"))
                        .credentials(right)
                        .build())
                .open(name, StoreKind.ACCEPTOR, in(60_000)));
    assertThat(otherName.reason()).as("%s", otherName).isEqualTo(Reason.NOT_ALLOWED);
    SiteException clearText =
        failure(
            connect(EmbeddedSiteConfigurations.of(lyon).credentials(right).build())
                .open(name, StoreKind.ACCEPTOR, in(10_000)));
    assertThat(clearText.reason())
        .as("%s", clearText)
        .isIn(Reason.NOT_ALLOWED, Reason.UNREACHABLE, Reason.TIMED_OUT);
  }

  @Test
  void nobodyWaitsForASiteThatIsClosedHere() {
    EmbeddedSite lyon = oneNode();
    BoundedSite site = connect(EmbeddedSiteConfigurations.of(lyon).build());
    SiteStore store = RealTimeWait.forStage(site.create(name, StoreKind.PLAIN, in(20_000)));
    open.add(lyon::resume);
    lyon.hang();
    CompletionStage<Void> underWay = store.put(bytes("k"), bytes("v"), in(30_000));

    site.close();

    assertThat(failure(underWay).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(failure(store.read(bytes("k"), in(5_000))).reason()).isEqualTo(Reason.UNREACHABLE);
  }
}
