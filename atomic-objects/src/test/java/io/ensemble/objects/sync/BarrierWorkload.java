package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Clients that wait for each other in every round, and record when they arrived and went on. */
final class BarrierWorkload extends SynchronizerWorkload {

  private static final int OF_A_PROCESS = 2;

  private record Met(int time, long came, long went, int index) {}

  private final int parties;
  private final List<Met> all = Collections.synchronizedList(new ArrayList<>());
  private @Nullable SharedBarrier barrier;

  private BarrierWorkload(String name, int parties) {
    super(name);
    this.parties = parties;
  }

  /** All clients meet at one barrier, in one generation after the other. */
  static BarrierWorkload barrier(List<Synchronizers> processes, String run) {
    int parties = processes.size() * OF_A_PROCESS;
    BarrierWorkload play = new BarrierWorkload("barrier", parties);
    for (int i = 0; i < parties; i++) {
      SharedBarrier barrier = processes.get(i % processes.size()).barrier("barrier" + run, parties);
      play.barrier = barrier;
      int[] generation = {0};
      play.client(
          () -> {
            long came = System.nanoTime();
            int index = barrier.arrive(Duration.ofMinutes(2));
            play.met(generation[0]++, came, index);
            return true;
          });
    }
    return play;
  }

  /** Each client counts down, and waits until the latch is open. Each round has a new latch. */
  static BarrierWorkload latches(List<Synchronizers> processes, String run) {
    int parties = processes.size() * OF_A_PROCESS;
    BarrierWorkload play = new BarrierWorkload("latch", parties);
    for (int i = 0; i < parties; i++) {
      Synchronizers process = processes.get(i % processes.size());
      UUID contribution = new UUID(7, i);
      int[] number = {0};
      play.client(
          () -> {
            play.opened(process, "latch" + run + " " + number[0], number[0], contribution);
            number[0]++;
            return true;
          });
    }
    return play;
  }

  private void opened(Synchronizers process, String name, int number, UUID contribution)
      throws InterruptedException {
    try (SharedLatch latch = process.latch(name, parties)) {
      long came = System.nanoTime();
      latch.countDown(contribution);
      latch.countDown(contribution); // counts once
      while (!isOver()) {
        if (latch.awaitZero(Duration.ofSeconds(1))) {
          met(number, came, 0);
          return;
        }
      }
    }
  }

  private void met(int time, long came, int index) {
    all.add(new Met(time, came, System.nanoTime(), index));
  }

  @Override
  void letGo() {
    if (barrier != null) {
      barrier.reset();
    }
  }

  @Override
  void judge(Synchronizers afterwards) {
    int times = all.stream().mapToInt(Met::time).max().orElseThrow();
    for (int time = 0; time < times; time++) {
      int wanted = time;
      List<Met> together = all.stream().filter(m -> m.time == wanted).toList();
      assertThat(together).as("%s, time %s", name(), time).hasSize(parties);
      long lastCame = together.stream().mapToLong(Met::came).max().getAsLong();
      assertThat(together).allSatisfy(m -> assertThat(m.went).isGreaterThan(lastCame));
      if (barrier != null) {
        assertThat(together.stream().map(Met::index))
            .containsExactlyInAnyOrderElementsOf(IntStream.range(0, parties).boxed().toList());
      }
    }
  }
}
