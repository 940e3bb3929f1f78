package io.ensemble.rest.resource.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.membership.ReplicaLoad;
import io.ensemble.site.StoreStatistics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The load that sites report, which is polled in bounded rounds. */
class LoadPollerTest {

  private final AtomicLong now = new AtomicLong(1);
  private final Deque<Runnable> elsewhere = new ArrayDeque<>();
  private final Map<String, StoredDefinition> caches = new TreeMap<>();
  private final Map<String, ReplicaLoad> answers = new TreeMap<>();
  private final List<String> asked = new ArrayList<>();
  private Map<String, Map<String, String>> notes = Map.of();
  private Duration perCache = Duration.ZERO;
  private boolean busy;
  private final LoadPoller poller = new LoadPoller(this::ask, () -> notes, this::later, now::get);

  private Map<String, ReplicaLoad> ask(StoredDefinition cache) {
    asked.add(cache.definition().name());
    now.addAndGet(perCache.toNanos());
    return Map.copyOf(answers);
  }

  private void later(Runnable work) {
    if (busy) {
      throw new RejectedExecutionException("too many tasks");
    }
    elsewhere.add(work);
  }

  private void define(String name) {
    caches.put(
        name,
        StoredDefinition.first(
            CacheDefinition.of(name, Mode.MWMR).sites("lyon", "oslo", "rome").build(),
            "0123456789abcdef01234567",
            Map.of("lyon", "00000001", "oslo", "00000002", "rome", "00000003")));
  }

  private void answer(String site, long entries, long requests, long millis) {
    answers.put(
        site,
        new ReplicaLoad(
            Duration.ofMillis(millis),
            new StoreStatistics(OptionalLong.of(entries), OptionalLong.of(requests))));
  }

  private void pollAfter(int seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    poller.pollIfDue(caches);
    while (!elsewhere.isEmpty()) {
      elsewhere.remove().run();
    }
  }

  @Test
  void theRateIsBetweenTwoAnswers() {
    define("stock");
    answer("lyon", 10, 1_000, 2);
    pollAfter(0);
    assertThat(poller.describeSites().get("lyon"))
        .containsEntry("entries", 10L)
        .containsEntry("millis", 2.0)
        .doesNotContainKey("requestsPerSecond");

    answer("lyon", 12, 1_500, 4);
    pollAfter(10);

    assertThat(poller.describeSites().get("lyon"))
        .isEqualTo(
            Map.of(
                "replicas",
                1,
                "answered",
                1,
                "entries",
                12L,
                "requestsPerSecond",
                50.0,
                "millis",
                4.0,
                "p99Millis",
                4.0));
    assertThat(poller.describeCaches().get("stock"))
        .isEqualTo(
            Map.of(
                "replicas",
                3,
                "answered",
                1,
                "entries",
                12L,
                "requestsPerSecond",
                50.0,
                "at",
                Map.of("lyon", Map.of("entries", 12L, "requestsPerSecond", 50.0, "millis", 4.0))));
  }

  @Test
  void aNodeThatRestartsHasNoRateUntilItsNextAnswer() {
    define("stock");
    answer("lyon", 10, 1_000, 2);
    pollAfter(0);

    answer("lyon", 0, 7, 2);
    pollAfter(10);
    assertThat(poller.describeSites().get("lyon")).doesNotContainKey("requestsPerSecond");

    answer("lyon", 0, 17, 2);
    pollAfter(10);
    assertThat(poller.describeSites().get("lyon")).containsEntry("requestsPerSecond", 1.0);
  }

  @Test
  void aSiteThatDoesNotAnswerHasNoFigures() {
    define("stock");
    answer("lyon", 10, 1_000, 2);
    answer("rome", 10, 1_000, 2);
    pollAfter(0);

    answers.remove("rome");
    pollAfter(10);

    assertThat(poller.describeSites().get("rome")).isEqualTo(Map.of("replicas", 1, "answered", 0));
    assertThat(poller.describeSites().get("lyon")).containsEntry("answered", 1);
  }

  @Test
  void roundsAreApartAndTheNextContinuesBehindTheLast() {
    for (int i = 0; i < 150; i++) {
      define("cache-%03d".formatted(i));
    }

    pollAfter(0);
    assertThat(asked).hasSize(LoadPoller.MOST_CACHES).endsWith("cache-099");
    pollAfter(4);
    assertThat(asked).hasSize(LoadPoller.MOST_CACHES);

    pollAfter(1);
    assertThat(asked).hasSize(2 * LoadPoller.MOST_CACHES);
    assertThat(asked.get(LoadPoller.MOST_CACHES)).isEqualTo("cache-100");
  }

  @Test
  void aRoundEndsWhenTheNextIsDue() {
    for (int i = 0; i < 10; i++) {
      define("cache-" + i);
    }
    perCache = Duration.ofSeconds(2);

    pollAfter(0);

    assertThat(asked).containsExactly("cache-0", "cache-1", "cache-2");
  }

  @Test
  void oneRoundRunsAtATimeAndABusyServiceSkipsIt() {
    define("stock");
    busy = true;
    pollAfter(0);
    busy = false;
    poller.pollIfDue(caches);
    assertThat(elsewhere).isEmpty(); // Five seconds have not passed.

    now.addAndGet(Duration.ofSeconds(5).toNanos());
    poller.pollIfDue(caches);
    now.addAndGet(Duration.ofSeconds(5).toNanos());
    poller.pollIfDue(caches);

    assertThat(elsewhere).hasSize(1);
  }

  @Test
  void aCacheThatIsGoneIsForgotten() {
    define("stock");
    answer("lyon", 10, 1_000, 2);
    pollAfter(0);

    caches.clear();
    pollAfter(10);

    assertThat(poller.describeCaches()).isEmpty();
    assertThat(poller.describeSites()).isEmpty();
  }

  @Test
  void oldAnswersAreLeftOut() {
    define("stock");
    answer("lyon", 10, 1_000, 2);
    pollAfter(0);

    now.addAndGet(Duration.ofMinutes(3).toNanos());

    assertThat(poller.describeSites()).isEmpty();
  }

  @Test
  void p99IsThatOfTheLastTenMinutes() {
    define("stock");
    for (int i = 0; i < 99; i++) {
      answer("lyon", 1, 1, 2);
      pollAfter(5);
    }
    answer("lyon", 1, 1, 70);
    pollAfter(5);
    assertThat(poller.describeSites().get("lyon")).containsEntry("p99Millis", 2.0);

    pollAfter(5); // Two of 101 are slow.
    assertThat(poller.describeSites().get("lyon")).containsEntry("p99Millis", 70.0);
  }

  @Test
  void theNotesOfMaintainingProcessesAreShown() {
    define("stock");
    notes = Map.of("lyon", Map.of("state", "reachable"), "oslo", Map.of());

    pollAfter(0);

    assertThat(poller.describeMaintenance())
        .isEqualTo(Map.of("lyon", Map.of("state", "reachable")));
  }
}
