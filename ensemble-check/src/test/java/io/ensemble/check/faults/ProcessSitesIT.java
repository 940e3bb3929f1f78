package io.ensemble.check.faults;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.check.federation.LocalPlan;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.testkit.link.WanProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Faults of a site whose node is a process, as its clients see them. */
@Timeout(600)
class ProcessSitesIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Bytes KEY = Bytes.of(new byte[] {'k'});
  private static final Bytes VALUE = Bytes.of(new byte[] {'v'});

  @TempDir static Path directory;

  private static FaultableSites sites;

  private final ThreadScheduler scheduler = new ThreadScheduler(1);

  @BeforeAll
  static void start() {
    sites =
        ProcessSites.start(
            new LocalPlan(1, 1, WanProfile.NONE, true, null), null, directory, line -> {});
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  @AfterEach
  void end() {
    scheduler.close();
  }

  @Test
  void aPausedProcessAnswersNothingAndThenAnswers() throws Exception {
    try (Site site = connected()) {
      SiteStore store = created(site, "paused");
      PlannedFault pause = fault(TrialFaultKind.PAUSE, 0);

      sites.begin(pause);
      char stopped = state();
      assertThatThrownBy(() -> soon(d -> store.get(KEY, d))).hasMessageContaining("lyon");
      sites.end(pause);

      assertThat(stopped).isEqualTo('T');
      assertThat(state()).isNotEqualTo('T');
      assertThat(value(store)).contains(VALUE);
      awaitBalance();
    }
  }

  @Tag("nightly")
  @Test
  void aKilledSiteHasWhatItAcknowledgedAndAWipedOneHasNothing() throws Exception {
    PlannedFault kill = fault(TrialFaultKind.KILL, 0);
    PlannedFault amnesia = fault(TrialFaultKind.AMNESIA, 0);
    try (Site site = connected()) {
      SiteStore store = created(site, "kept");
      long before = pid();

      sites.begin(kill);
      assertThat(ProcessHandle.of(before).filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(sites.isBalanced(0)).isFalse();
      sites.end(kill);

      awaitBalance();
      assertThat(sites.killedSitesRemember()).isTrue();
      assertThat(value(store)).contains(VALUE);

      sites.begin(amnesia);
      sites.end(amnesia);

      awaitBalance();
      assertThat(stores(site)).doesNotContain("kept");
    }
  }

  /** As Infinispan leaves its files if it is killed while a cache is created or removed. */
  @Tag("nightly")
  @Test
  void aSiteThatWasKilledWithoutItsListOfCachesHasThemAgain() throws Exception {
    PlannedFault kill = fault(TrialFaultKind.KILL, 0);
    Path data = directory.resolve("lyon/0/data");
    try (Site site = connected()) {
      SiteStore store = created(site, "listed");

      sites.begin(kill);
      Files.move(data.resolve("caches.xml"), data.resolve("caches123.tmp"));
      sites.end(kill);

      awaitBalance();
      assertThat(value(store)).contains(VALUE);
      assertThat(data.resolve("caches123.tmp")).doesNotExist();
    }
  }

  @Test
  void linesFailAtTheRelaysAndTheProcessGoesOn() throws Exception {
    try (Site site = connected()) {
      SiteStore store = created(site, "lines");
      PlannedFault cut = fault(TrialFaultKind.CUT, 0);
      PlannedFault noAnswers = fault(TrialFaultKind.ONEWAY, 99);
      PlannedFault slow = fault(TrialFaultKind.SLOW, 99);
      Bytes other = Bytes.of(new byte[] {'w'});

      sites.begin(cut);
      assertThatThrownBy(() -> soon(d -> store.get(KEY, d))).hasMessageContaining("lyon");
      assertThat(sites.isBalanced(0)).isTrue();
      sites.end(cut);
      assertThat(value(store)).contains(VALUE);

      sites.begin(noAnswers);
      assertThatThrownBy(() -> soon(d -> store.put(KEY, other, d))).hasMessageContaining("lyon");
      sites.end(noAnswers);
      assertThat(value(store)).contains(other);

      sites.begin(slow);
      long begin = System.nanoTime();
      assertThat(value(store)).contains(other);
      assertThat(System.nanoTime() - begin)
          .isGreaterThan(Duration.ofMillis(2L * slow.delayMillis()).toNanos());
      sites.end(slow);
    }
  }

  private static PlannedFault fault(TrialFaultKind kind, int strength) {
    return new PlannedFault(kind, 0, PlannedFault.ALL, 0, 0, strength);
  }

  private Site connected() {
    return HotRod.connect(sites.places().get(0).configuration(), scheduler);
  }

  private Optional<Bytes> value(SiteStore store) throws Exception {
    return got(d -> store.get(KEY, d));
  }

  private Set<String> stores(Site site) throws Exception {
    return got(site::stores);
  }

  /** A store with one entry. */
  private SiteStore created(Site site, String name) throws Exception {
    SiteStore store = got(d -> site.create(name, StoreKind.PLAIN, d));
    got(d -> store.put(KEY, VALUE, d));
    return store;
  }

  private static long pid() throws IOException {
    return Long.parseLong(Files.readString(directory.resolve("lyon/0/pid")).split(" ")[0]);
  }

  /** The state of the process as one letter; {@code T} is stopped. */
  private static char state() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  private static void awaitBalance() {
    await("the site is in balance")
        .atMost(LONGEST)
        .pollInterval(50, MILLISECONDS)
        .until(() -> sites.isBalanced(0));
  }

  private interface Call<T> {
    CompletionStage<T> with(Deadline deadline);
  }

  /** Calls with a deadline of 1 s. */
  private <T> T soon(Call<T> call) throws Exception {
    Deadline deadline = Deadline.after(Duration.ofSeconds(1), scheduler);
    return call.with(deadline).toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
  }

  /** Repeats a call until it succeeds: connections have to be re-established. */
  private <T> T got(Call<T> call) throws Exception {
    AtomicReference<T> answer = new AtomicReference<>();
    await("an answer")
        .atMost(LONGEST)
        .pollInterval(50, MILLISECONDS)
        .until(
            () -> {
              try {
                Deadline deadline = Deadline.after(Duration.ofSeconds(10), scheduler);
                answer.set(
                    call.with(deadline)
                        .toCompletableFuture()
                        .get(LONGEST.toSeconds(), TimeUnit.SECONDS));
                return true;
              } catch (ExecutionException | TimeoutException e) {
                return false;
              }
            });
    return answer.get();
  }
}
