package io.ensemble.testkit.truth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.process.FederationFixtures;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessSite;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One node of three is stopped (SIGSTOP): its connections stay open, but it does not answer. Its
 * peers declare it dead after about 40 s and own its keys from then on. A client that uses only
 * keys of that node must find the new owners, although the node does not answer.
 */
@Tag("deep") // It waits for the peers' failure detector.
class HungNodeIT {

  private static final int HUNG = 1;
  private static final int KEYS = 12;

  /** Twice the detector's 40 s, for loaded machines. */
  private static final Duration LONGEST = Duration.ofSeconds(80);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  private final ThreadScheduler scheduler = new ThreadScheduler();

  @Test
  @Timeout(400)
  void keysOfANodeThatHangsAreAnsweredByItsPeersAndByItselfWhenItGoesOn() throws Exception {
    try (ProcessFederation federation =
            ProcessFederation.start(
                FederationFixtures.options(directory, 3).withSiteNames(List.of("lyon")));
        SiteClients clients = new SiteClients(federation.site("lyon"))) {
      ProcessSite site = federation.site("lyon");
      clients.create("c", SiteCacheSetting.ALL_NODES);
      BoundedSite known = connect(site);
      SiteStore store = open(known);
      List<Bytes> keys = keysOf(clients, site.endpoints().get(HUNG));
      for (Bytes key : keys) {
        assertThat(joined(store.putIfAbsent(key, key, soon()))).isTrue();
      }

      site.pauseNode(HUNG);
      untilAllAreAnswered("by a client that was there before", store, keys);
      BoundedSite late = connect(site);
      untilAllAreAnswered("by a client that came later", openPatiently(late), keys);

      site.resumeNode(HUNG);
      untilBalanced(site);
      untilAllAreAnswered("when it went on", store, keys);
      for (Bytes key : keys) {
        assertThat(joined(store.read(key, soon()))).isPresent();
      }
      known.close();
      late.close();
    } finally {
      scheduler.close();
    }
  }

  private BoundedSite connect(ProcessSite site) {
    SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
    site.endpoints().forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
    return HotRod.connect(configuration.build(), scheduler);
  }

  private SiteStore open(BoundedSite site) {
    return joined(site.open("c", StoreKind.ACCEPTOR, Deadline.after(LONGEST, scheduler)));
  }

  private SiteStore openPatiently(BoundedSite site) throws InterruptedException {
    long began = System.nanoTime();
    while (true) {
      try {
        return open(site);
      } catch (RuntimeException silent) {
        System.out.println("asked again: " + silent.getMessage());
        if (System.nanoTime() - began > LONGEST.toNanos()) {
          throw silent;
        }
        waited(500);
      }
    }
  }

  private static List<Bytes> keysOf(SiteClients clients, InetSocketAddress node) {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 0; keys.size() < KEYS; i++) {
      byte[] name = ("key-" + i).getBytes(UTF_8);
      if (((InetSocketAddress) clients.owner("c", name)).getPort() == node.getPort()) {
        keys.add(Bytes.of(name));
      }
    }
    return keys;
  }

  /** Repeats reads and replacements of only these keys until all are answered. */
  private void untilAllAreAnswered(String when, SiteStore store, List<Bytes> keys)
      throws InterruptedException {
    long began = System.nanoTime();
    List<Bytes> silent = keys;
    while (true) {
      List<Bytes> still = new ArrayList<>();
      for (Bytes key : silent) {
        if (!isAnswered(store, key)) {
          still.add(key);
        }
      }
      silent = still;
      double seconds = (System.nanoTime() - began) / 1e9;
      if (silent.isEmpty()) {
        System.out.printf("all keys answered %s after %.1f s%n", when, seconds);
        return;
      }
      assertThat(seconds)
          .as("%d of %d keys are not answered %s", silent.size(), keys.size(), when)
          .isLessThan(LONGEST.toSeconds());
      waited(100);
    }
  }

  private boolean isAnswered(SiteStore store, Bytes key) {
    try {
      var entry = joined(store.read(key, soon()));
      assertThat(entry).as("what was acknowledged").isPresent();
      return joined(store.replace(key, entry.get().version(), key, soon()));
    } catch (RuntimeException silent) {
      return false;
    }
  }

  private void untilBalanced(ProcessSite site) throws InterruptedException {
    long began = System.nanoTime();
    while (!site.isBalanced()) {
      assertThat(System.nanoTime() - began)
          .as("the nodes find each other")
          .isLessThan(LONGEST.toNanos());
      waited(500);
    }
    System.out.printf("balanced after %.1f s%n", (System.nanoTime() - began) / 1e9);
  }

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(3), scheduler);
  }

  private static <T> T joined(java.util.concurrent.CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private synchronized void waited(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.timedWait(this, millis);
  }
}
