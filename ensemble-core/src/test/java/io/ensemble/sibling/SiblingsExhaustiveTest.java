package io.ensemble.sibling;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tries every run of a few steps at two or three sites. After each step the state is compared with
 * {@link SiblingModel}, which keeps whole sets of events. The steps are writes after a read at the
 * same site, at another one, or without a read; removals; copies between any two sites, also late
 * ones; and losses of a site's memory.
 */
@Execution(ExecutionMode.CONCURRENT)
class SiblingsExhaustiveTest {

  /** The state of a site, and the same state in the model. */
  private record Site(StoredSiblings<Integer> ours, SiblingModel naive) {

    static final Site EMPTY = new Site(StoredSiblings.none(), SiblingModel.EMPTY);

    Site join(Site other) {
      return new Site(ours.joined(other.ours.siblings()), naive.join(other.naive));
    }
  }

  private final class Run {
    final int sites;
    final boolean forgetting;
    long steps;

    Run(int sites, boolean forgetting) {
      this.sites = sites;
      this.forgetting = forgetting;
    }

    /** Tries all steps; {@code sent} are former states, any of which may arrive anywhere. */
    void explore(List<Site> now, List<Site> sent, int depth, int time) {
      check(now, sent);
      if (depth == 0) {
        return;
      }
      for (int at = 0; at < sites; at++) {
        Site here = now.get(at);
        for (int token = -1; token < sites; token++) {
          Site shown = token < 0 ? Site.EMPTY : now.get(token);
          go(now, sent, at, written(here, at, shown, time, false), depth, time);
        }
        go(now, sent, at, written(here, at, here, time, true), depth, time);
        for (Site late : sent) {
          if (!here.ours().siblings().holds(late.ours().siblings())) {
            go(now, sent, at, here.join(late), depth, time);
          }
        }
        if (forgetting && !here.ours().siblings().isNone()) {
          go(now, sent, at, Site.EMPTY, depth, time);
        }
      }
    }

    private void go(List<Site> now, List<Site> sent, int at, Site next, int depth, int time) {
      steps++;
      List<Site> then = new ArrayList<>(now);
      then.set(at, next);
      List<Site> more = new ArrayList<>(sent);
      more.add(next);
      explore(then, more, depth - 1, time + 1);
    }

    private Site written(Site here, int at, Site shown, int time, boolean removal) {
      Set<Integer> what = new TreeSet<>(shown.naive().seen());
      Stamp stamp = new Stamp(time, new WriterId(0, at + 1));
      return new Site(
          here.ours().written(stamp, shown.ours().siblings().seen(), removal ? null : time),
          here.naive().written(time, what, removal));
    }

    private void check(List<Site> now, List<Site> sent) {
      Site all = Site.EMPTY;
      for (Site site : now) {
        same(site);
        all = all.join(site);
      }
      same(all);
      // All states that were ever sent arrive, in reverse order.
      Site other = Site.EMPTY;
      for (int i = sent.size() - 1; i >= 0; i--) {
        other = other.join(sent.get(i));
      }
      same(other);
    }

    private void same(Site site) {
      Set<Integer> alive = new TreeSet<>(site.ours().siblings().values());
      assertThat(alive).isEqualTo(site.naive().alive());
    }
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"3, 4, false", "2, 5, true"})
  void soTheyAreInTheOtherRuns(int sites, int depth, boolean forgetting) {
    theSiblingsAreTheValuesThatNobodyHasOverwritten(sites, depth, forgetting);
  }

  @ParameterizedTest
  @CsvSource({"2, 5, false", "3, 4, true"})
  void theSiblingsAreTheValuesThatNobodyHasOverwritten(int sites, int depth, boolean forgetting) {
    Run run = new Run(sites, forgetting);
    Site[] empty = new Site[sites];
    Arrays.fill(empty, Site.EMPTY);

    run.explore(List.of(empty), List.of(), depth, 1);

    assertThat(run.steps).isGreaterThan(5_000);
  }

  @Test
  void theModelTellsConcurrentValuesFromOverwrittenOnes() {
    SiblingModel one = SiblingModel.EMPTY.written(1, Set.of(), false);
    SiblingModel other = SiblingModel.EMPTY.written(2, Set.of(), false);

    assertThat(one.join(other).alive()).containsExactly(1, 2);
    assertThat(one.join(one.written(2, Set.of(1), false)).alive()).containsExactly(2);
    assertThat(one.written(2, Set.of(1), true).join(one).alive()).isEmpty();
  }
}
