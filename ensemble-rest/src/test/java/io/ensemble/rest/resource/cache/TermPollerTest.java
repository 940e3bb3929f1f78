package io.ensemble.rest.resource.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.catalog.definition.StoredDefinition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The terms of caches, also as other processes change them; these are read periodically. */
class TermPollerTest {

  private final AtomicLong now = new AtomicLong(1);
  private final Deque<Runnable> elsewhere = new ArrayDeque<>();
  private final Map<String, PrimaryTerm> terms = new TreeMap<>();
  private final List<String> asked = new ArrayList<>();
  private boolean busy;
  private final TermPoller look = new TermPoller(this::ask, this::later, now::get);

  private PrimaryTerm ask(String name) {
    asked.add(name);
    now.addAndGet(Duration.ofSeconds(2).toNanos()); // The time until its sites answer.
    PrimaryTerm term = terms.get(name);
    if (term == null) {
      throw new IllegalStateException("too few sites say");
    }
    return term;
  }

  private void later(Runnable work) {
    if (busy) {
      throw new RejectedExecutionException("too much is under way");
    }
    elsewhere.add(work);
  }

  private static PrimaryTerm term(long epoch, String primary) {
    return new PrimaryTerm(epoch, primary, Optional.empty(), true, true);
  }

  private static StoredDefinition cache(String name, Mode mode) {
    return StoredDefinition.first(
        CacheDefinition.of(name, mode).sites("lyon").build(),
        "0123456789abcdef01234567",
        Map.of("lyon", "00000001"));
  }

  /** The terms that are shown of the caches "a", "b" and "c"; only "c" is not in SWMR. */
  private Map<String, Map<String, Object>> told(Map<String, Map<String, Object>> own) {
    return look.collectTerms(
        List.of(cache("a", Mode.SWMR), cache("b", Mode.SWMR), cache("c", Mode.MWMR)), own);
  }

  private Map<String, Map<String, Object>> toldAfter(int seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    Map<String, Map<String, Object>> told = told(Map.of());
    while (!elsewhere.isEmpty()) {
      elsewhere.remove().run();
    }
    return told;
  }

  @Test
  void theLaterOneOfWhatSitesSayAndWhatOwnCallsSawIsTold() {
    terms.put("a", term(5, "lyon"));
    toldAfter(0);

    for (Long older : List.of(3L, 5L)) {
      assertThat(told(Map.of("a", Map.of("epoch", older))).get("a"))
          .containsEntry("epoch", 5L)
          .containsEntry("primary", "lyon");
    }
    assertThat(told(Map.of("a", Map.of("epoch", 6L), "b", Map.of("epoch", 2L))))
        .isEqualTo(Map.of("a", Map.of("epoch", 6L), "b", Map.of("epoch", 2L)));
    assertThat(asked).containsExactly("a", "b");
  }

  @Test
  void whatSitesNoMoreSayIsNotKnown() {
    terms.put("a", term(5, "lyon"));
    toldAfter(0);
    assertThat(toldAfter(6)).containsOnlyKeys("a");

    terms.clear();
    toldAfter(6);

    assertThat(told(Map.of())).isEmpty();
  }

  @Test
  void whatWasSaidLongAgoIsNotKnown() {
    terms.put("a", term(5, "lyon"));
    toldAfter(0);
    busy = true;

    assertThat(toldAfter(20)).containsOnlyKeys("a");
    assertThat(toldAfter(20)).isEmpty();
  }

  @Test
  void whoIsBusyOrFailsIsAskedAgain() {
    busy = true;
    toldAfter(0);
    busy = false;
    toldAfter(6); // Both fail.
    assertThat(told(Map.of())).isEmpty();

    terms.put("b", term(7, "oslo"));
    toldAfter(6);

    assertThat(told(Map.of())).containsOnlyKeys("b");
    assertThat(asked).containsExactly("a", "b", "a", "b");
  }

  @Test
  void oneRoundIsUnderWayAtATime() {
    told(Map.of());
    now.addAndGet(Duration.ofSeconds(60).toNanos());

    told(Map.of());

    assertThat(elsewhere).hasSize(1);
  }

  @Test
  void theNextRoundBeginsWhereTheLastOneEnded() {
    List<String> names = List.of("a", "b", "c", "d");

    assertThat(TermPoller.orderAfter("", names)).containsExactly("a", "b", "c", "d");
    assertThat(TermPoller.orderAfter("b", names)).containsExactly("c", "d", "a", "b");
    assertThat(TermPoller.orderAfter("d", names)).containsExactly("a", "b", "c", "d");
    assertThat(TermPoller.orderAfter("bb", names)).containsExactly("c", "d", "a", "b");
  }
}
