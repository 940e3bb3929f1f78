package io.ensemble.check.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which process is paused, and when. */
@Timeout(60)
class WriterPausesTest {
  private static final int PROCESSES = 3;
  private static final WriterRotation TURNS =
      new WriterRotation(0, PROCESSES, WriterRotation.TURN_MILLIS);
  private static final long LOOK_NANOS = 200_000_000;

  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  /** The turns in which a process was paused. */
  private List<Long> stopped(long seed, long turns) throws InterruptedException {
    List<Long> stopped = new ArrayList<>();
    long[] now = {0};
    WriterPauses pauses =
        new WriterPauses(
            TURNS,
            seed,
            process -> 100 + process,
            (pid, seconds) -> {
              long turn = TURNS.turn(now[0]);
              assertThat(pid).as("the writer's").isEqualTo(100 + turn % PROCESSES);
              assertThat(now[0] / 1_000_000 % WriterRotation.TURN_MILLIS)
                  .isGreaterThanOrEqualTo(WriterPauses.INTO_TURN_MILLIS);
              stopped.add(turn);
              return new ProcessBuilder("true").start();
            },
            (phase, number, kind, process, what) ->
                told.add("%s %d %s %s".formatted(phase, number, kind, process)));
    for (; TURNS.turn(now[0]) < turns; now[0] += LOOK_NANOS) {
      pauses.pauseIfDue(now[0]);
    }
    pauses.end();
    return stopped;
  }

  @Test
  void ofEachThreeTurnsOneIsChosenBySeedAndEveryProcessHasToStandIt() throws Exception {
    List<Long> turns = stopped(1, 60);

    assertThat(turns).hasSize(60 / WriterPauses.EACH_TURNS);
    for (int i = 0; i < turns.size(); i++) {
      assertThat(turns.get(i) / WriterPauses.EACH_TURNS).isEqualTo(i);
    }
    assertThat(turns).extracting(turn -> turn % PROCESSES).contains(0L, 1L, 2L);
    assertThat(stopped(1, 60)).isEqualTo(turns);
    assertThat(stopped(2, 60)).isNotEqualTo(turns);
  }

  @Test
  void eachIsNotedWhenItBeginsAndWhenItEnds() throws Exception {
    List<Long> turns = stopped(1, 3);

    String process = " writer-pause client-" + turns.get(0) % PROCESSES;
    assertThat(told).containsExactly("begin 1" + process, "end 1" + process);
  }

  @Test
  void whatCannotBeStoppedIsNotedToo() {
    WriterPauses pauses =
        new WriterPauses(
            TURNS,
            1,
            process -> 1,
            (pid, seconds) -> {
              throw new IOException("no shell");
            },
            (phase, number, kind, process, what) -> told.add(phase + " " + what));

    for (long now = 0; TURNS.turn(now) < 3; now += LOOK_NANOS) {
      pauses.pauseIfDue(now);
    }

    assertThat(told).hasSize(2);
    assertThat(told.get(1)).startsWith("end client-").endsWith("cannot be paused: no shell");
  }

  @Test
  void whatIsNotedBesidesThePlanStandsAmongItsEvents() {
    TrialFaultInjector run =
        new TrialFaultInjector(
            new TrialFaultPlan(1, new TrialFaultPlan.Settings(1, 1, Set.of(), 0, true)),
            FaultFreeSites.ofSomebody(List.of()),
            (site, former) -> 0,
            line -> told.add(line));

    run.note(FaultEvent.BEGIN, 1, WriterPauses.KIND, "client-2", "client-2 is stopped");
    run.note(FaultEvent.END, 1, WriterPauses.KIND, "client-2", "client-2 is stopped");

    assertThat(FaultCounts.counts(run.events())).containsExactly(Map.entry("writer-pause", 1L));
    assertThat(run.events()).extracting(FaultEvent::site).containsOnly("client-2");
    assertThat(told).containsExactly("begin client-2 is stopped", "end client-2 is stopped");
  }
}
