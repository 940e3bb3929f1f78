package io.ensemble.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every order in which the reports of three replicas can arrive, with each report lost or repeated,
 * and a round of scans after each number of reports.
 */
class ChangeMergerExplorerTest {

  private static final ChangeMerger.Values<String> VALUES =
      new ChangeMerger.Values<>() {
        @Override
        public long fingerprint(String value) {
          return value.hashCode();
        }

        @Override
        public long expiryMicros(String value) {
          return 0;
        }

        @Override
        public long sizeBytes(String value) {
          return value.length();
        }
      };

  private static final Quorum THREE = new Quorum(3);
  private static final long NOW = 1_000_000_000;

  /** The cells that each replica held, one after the other, and the writes chosen, in order. */
  private record Scenario(String name, List<List<Cell<String>>> replicas, List<String> chosen) {}

  private static Ballot ballot(int round, Kind kind, int writer) {
    return new Ballot(NOW + round, kind, new WriterId(0, writer));
  }

  private static Content<String> content(int sequence, String value, Ballot... recent) {
    return new Content<>(sequence, List.of(recent), value);
  }

  private static Cell<String> cell(Ballot ballot, Ballot floor, Content<String> content) {
    return new Cell<>(ballot, ballot, floor, content);
  }

  private static List<Scenario> scenarios() {
    Ballot b1 = ballot(1, Kind.FAST, 1);
    Ballot b2 = ballot(2, Kind.FAST, 1);
    Ballot b3 = ballot(3, Kind.FAST, 2);
    Content<String> w1 = content(1, "w1", b1);
    Content<String> w2 = content(2, "w2", b2);
    Content<String> w3 = content(3, "w3", b3, b2);
    Cell<String> c1 = cell(b1, Ballot.ZERO, w1);
    Cell<String> c2 = cell(b2, b1, w2);
    Cell<String> c3 = cell(b3, b2, w3);
    Ballot k2 = ballot(2, Kind.CLASSIC, 1);
    Ballot k3 = ballot(3, Kind.CLASSIC, 2);
    Content<String> x2 = content(2, "w2", k2, b1);
    Content<String> x3 = content(3, "w3", k3, k2);
    Cell<String> d2 = cell(k2, k2, x2);
    Cell<String> d3 = cell(k3, k3, x3);
    Ballot r = ballot(2, Kind.FAST, 3);
    Cell<String> rival = cell(r, b1, content(2, "rival", r, b1));
    Ballot confirm = ballot(4, Kind.CONFIRM, 3);
    Cell<String> confirmed = cell(confirm, b2, w2);
    Ballot f2 = ballot(3, Kind.FAST, 2);
    Cell<String> e2 = cell(f2, b1, content(2, "w2", f2, b1));
    Cell<String> laterConfirmed = cell(ballot(5, Kind.CONFIRM, 2), f2, e2.content());
    List<Cell<String>> rivalReplaced = List.of(c1, rival, laterConfirmed);
    Ballot k4 = ballot(6, Kind.CLASSIC, 2);
    Cell<String> d4 = cell(k4, k4, content(3, "w3", k4, b2));
    return List.of(
        new Scenario(
            "fast",
            List.of(List.of(c1, c2, c3), List.of(c1, c2, c3), List.of(c1, c2, c3)),
            List.of("w1", "w2", "w3")),
        new Scenario(
            "classic, at different majorities",
            List.of(List.of(c1, d2), List.of(c1, d2, d3), List.of(c1, d3)),
            List.of("w1", "w2", "w3")),
        new Scenario(
            "a rival that loses",
            List.of(List.of(c1, d2, d3), List.of(c1, d2), List.of(c1, rival, d3)),
            List.of("w1", "w2", "w3")),
        new Scenario(
            "confirmed",
            List.of(List.of(c1, c2, confirmed), List.of(c1, c2, confirmed), List.of(c1, rival)),
            List.of("w1", "w2")),
        new Scenario(
            "confirmed over the vote of a rival with a lower ballot",
            List.of(List.of(c1, e2), List.of(c1, e2, laterConfirmed), rivalReplaced),
            List.of("w1", "w2")),
        new Scenario(
            "confirmed over the vote of a rival with a higher ballot, and overwritten",
            List.of(List.of(c2, d4), List.of(c1, c2, confirmed), List.of(c1, rival, confirmed, d4)),
            List.of("w1", "w2", "w3")));
  }

  /** One run: what was delivered, and what is wrong. */
  private static final class Run {
    final Scenario scenario;
    final ChangeMerger<String, String> merger;
    final List<String> shown = new ArrayList<>();
    long missed;
    String wrong = "";

    Run(Scenario scenario, MergerBug bug) {
      this.scenario = scenario;
      merger = bug.merger(VALUES, key -> 7, null);
      merger.beginRound(NOW, false);
      merger.completeRound(0, true, 0);
      merger.drain();
    }

    void observe(int replica, int index) {
      merger.observe(replica, "k", Vote.of(scenario.replicas().get(replica).get(index), THREE));
      collect();
    }

    /** A round that finds the present cells, and reads a key that they leave open. */
    void round(int[] present, boolean scans) {
      merger.beginRound(NOW + 1_000, false);
      if (scans) {
        for (int replica = 0; replica < present.length; replica++) {
          if (present[replica] >= 0) {
            observe(replica, present[replica]);
          }
        }
        int tick = merger.tick();
        merger
            .unresolved(tick, 1)
            .forEach((key, basis) -> merger.decided(key, chosenAt(present), basis));
        if (!merger.unresolved(tick, 1).isEmpty()) {
          wrong = "the votes stay open after a read: " + shown;
        }
      }
      merger.completeRound(0, true, 0);
      collect();
    }

    /** What a read by majority returns: the last chosen write of which a replica has a cell. */
    private Content<String> chosenAt(int[] present) {
      Content<String> last = Content.absent();
      for (int replica = 0; replica < present.length; replica++) {
        for (int i = 0; i <= present[replica]; i++) {
          Content<String> one = scenario.replicas().get(replica).get(i).content();
          boolean isChosen = scenario.chosen().contains(one.value());
          last = isChosen && one.sequence() > last.sequence() ? one : last;
        }
      }
      return last;
    }

    private void collect() {
      for (ListenOutput<String, String> output : merger.drain()) {
        if (output instanceof ListenOutput.Shown<String, String> one) {
          Change<String, String> change = one.change();
          shown.add(change.value());
        } else if (output instanceof ListenOutput.Missing<String, String> one) {
          Gap<String, String> gap = one.gap();
          missed += gap.missed().orElse(0);
        }
      }
      judge();
    }

    private void judge() {
      int last = -1;
      for (String value : shown) {
        int index = scenario.chosen().indexOf(value);
        if (index <= last) {
          wrong = "not chosen, repeated or out of order: " + shown;
        }
        last = index;
      }
    }

    void judgeEnd() {
      boolean isComplete = shown.size() + missed == scenario.chosen().size();
      if (wrong.isEmpty() && !isComplete) {
        wrong = "lost without a gap: " + shown + " and " + missed + " missed";
      }
      int end = scenario.chosen().size() - 1;
      if (wrong.isEmpty() && !shown.get(shown.size() - 1).equals(scenario.chosen().get(end))) {
        wrong = "the last write is missing: " + shown;
      }
    }
  }

  /** The number of runs; ends at the first that is wrong, which it adds to {@code wrong}. */
  private static int explore(List<Scenario> scenarios, MergerBug bug, List<String> wrong) {
    int runs = 0;
    for (Scenario scenario : scenarios) {
      List<List<Integer>> orders = new ArrayList<>();
      orders(scenario, new int[3], new ArrayList<>(), orders);
      for (List<Integer> order : orders) {
        for (int fault = -1; fault < 2 * order.size(); fault++) {
          for (int roundAfter = -1; roundAfter < order.size(); roundAfter++) {
            runs++;
            String found = run(scenario, order, fault, roundAfter, bug);
            if (!found.isEmpty()) {
              wrong.add(scenario.name() + " " + order + " " + fault + ": " + found);
              return runs;
            }
          }
        }
      }
    }
    return runs;
  }

  private static String run(
      Scenario scenario, List<Integer> order, int fault, int roundAfter, MergerBug bug) {
    Run run = new Run(scenario, bug);
    int[] present = {-1, -1, -1};
    for (int i = 0; i < order.size(); i++) {
      int replica = order.get(i);
      present[replica]++;
      boolean isLost = fault == i;
      boolean isRepeated = fault == order.size() + i;
      if (!isLost) {
        run.observe(replica, present[replica]);
      }
      if (isRepeated) {
        run.observe(replica, present[replica]);
      }
      if (i == roundAfter) {
        run.round(present, bug != MergerBug.SCANS_ONCE);
      }
    }
    run.round(present, bug != MergerBug.SCANS_ONCE);
    run.round(present, bug != MergerBug.SCANS_ONCE);
    run.judgeEnd();
    return run.wrong;
  }

  /** All orders of the reports in which those of each replica keep theirs. */
  private static void orders(
      Scenario scenario, int[] sent, List<Integer> prefix, List<List<Integer>> all) {
    boolean isEnd = true;
    for (int replica = 0; replica < sent.length; replica++) {
      if (sent[replica] < scenario.replicas().get(replica).size()) {
        isEnd = false;
        sent[replica]++;
        prefix.add(replica);
        orders(scenario, sent, prefix, all);
        prefix.remove(prefix.size() - 1);
        sent[replica]--;
      }
    }
    if (isEnd) {
      all.add(List.copyOf(prefix));
    }
  }

  @Test
  void eachChosenWriteIsShownOnceInOrderOrCounted() {
    List<String> wrong = new ArrayList<>();

    int runs = explore(scenarios(), MergerBug.NONE, wrong);

    System.out.printf("merger of changes: %d runs%n", runs);
    assertThat(wrong).isEmpty();
    assertThat(runs).isGreaterThan(500_000);
  }

  @ParameterizedTest
  @EnumSource(names = {"REPEATS_LAST", "TRUSTS_ONE_VOTE", "SCANS_ONCE"})
  void aPlantedErrorIsFound(MergerBug bug) {
    List<String> wrong = new ArrayList<>();

    explore(scenarios(), bug, wrong);

    System.out.println(bug + ": " + wrong);
    assertThat(wrong).hasSize(1);
  }

  /** A confirmation shows that a vote of a replica may be replaced by that of another writer. */
  @Test
  void anErrorIsFoundWhereAConfirmationReplacesTheVoteOfARival() {
    for (Scenario scenario : scenarios()) {
      if (scenario.name().startsWith("confirmed over")) {
        List<String> wrong = new ArrayList<>();

        explore(List.of(scenario), MergerBug.TAKES_REPLICAS_FOR_HISTORIES, wrong);

        assertThat(wrong).as(scenario.name()).singleElement().asString().contains("rival");
      }
    }
  }

  @Test
  void aPositionWithoutTimeForLateWritesSkips() {
    assertThat(shownAfterResumption(MergerBug.NONE)).containsExactly("late");
    assertThat(shownAfterResumption(MergerBug.NO_TIME_FOR_LATE_WRITES)).isEmpty();
  }

  /** A write whose ballot is older than a round is chosen after the round, and then found. */
  private static List<String> shownAfterResumption(MergerBug bug) {
    ChangeMerger<String, String> first = bug.merger(VALUES, key -> key.hashCode(), null);
    ListenProgress progress = new ListenProgress(1, 0, 10, null);
    first.beginRound(NOW + 1_000, false);
    first.completeRound(NOW - ChangeMerger.LATE_MICROS * 3, true, 0);
    first.drain().forEach(progress::received);
    Ballot ballot = ballot(500, Kind.CLASSIC, 1);
    Cell<String> late = cell(ballot, ballot, content(1, "late", ballot));
    ListenPosition position = ListenPosition.parse(progress.position().toText());
    ChangeMerger<String, String> second = bug.merger(VALUES, key -> key.hashCode(), position);
    second.beginRound(NOW + 5_000, false);
    second.observe(0, "k", Vote.of(late, THREE));
    second.observe(1, "k", Vote.of(late, THREE));
    int tick = second.tick();
    assertThat(second.unresolved(tick, 10).keySet()).isSubsetOf(Set.of("k"));
    second.unresolved(tick, 10).forEach((key, basis) -> second.decided(key, late.content(), basis));
    second.completeRound(NOW - ChangeMerger.LATE_MICROS * 3, true, 0);
    return second.drain().stream()
        .filter(output -> output instanceof ListenOutput.Shown)
        .map(output -> ((ListenOutput.Shown<String, String>) output).change().value())
        .toList();
  }
}
