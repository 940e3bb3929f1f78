package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

/** Clients of shared values. */
final class SharedValueWorkload {

  /** A client's attempt to win what only one client can win. */
  interface Contest {
    boolean isWon(long number, String who);
  }

  private SharedValueWorkload() {}

  static List<SynchronizerWorkload> all(List<Synchronizers> processes, String run) {
    return List.of(
        places(
            "counter",
            processes,
            s -> {
              SharedCounter counter = s.counter("counter" + run);
              return () -> (int) counter.incrementAndGet();
            },
            s -> (int) s.counter("counter" + run).get()),
        places(
            "list",
            processes,
            s -> {
              SharedList<String> list = s.list("list" + run, String.class);
              return () -> list.add("value");
            },
            s -> s.list("list" + run, String.class).size()),
        contest(
            "map",
            processes,
            s -> {
              SharedMap<Long, String> map = s.map("map" + run, Long.class, String.class);
              return (number, who) -> map.putIfAbsent(number, who) == null;
            }),
        contest(
            "set",
            processes,
            s -> {
              SharedSet<Long> set = s.set("set" + run, Long.class);
              return (number, who) -> set.add(number);
            }),
        contest(
            "register",
            processes,
            s -> {
              SharedRegister<Long> register = s.register("register" + run, Long.class);
              return (number, who) -> {
                Long before = number == 0 ? null : Long.valueOf(number - 1);
                return Objects.equals(register.compareAndSwap(before, number), before);
              };
            }),
        contest(
            "reference",
            processes,
            s -> {
              SharedReference<Long> reference = s.reference("reference" + run, Long.class);
              return (number, who) ->
                  reference.compareAndSet(number == 0 ? null : Long.valueOf(number - 1), number);
            }));
  }

  /** Each call returns a different number. */
  private static SynchronizerWorkload places(
      String name,
      List<Synchronizers> processes,
      Function<Synchronizers, IntSupplier> opening,
      ToIntFunction<Synchronizers> count) {
    List<Integer> told = Collections.synchronizedList(new ArrayList<>());
    SynchronizerWorkload play =
        new SynchronizerWorkload(name) {
          @Override
          void judge(Synchronizers afterwards) {
            assertThat(told).as(name).doesNotHaveDuplicates();
            assertThat(count.applyAsInt(afterwards))
                .as(name)
                .isBetween(told.size(), told.size() + unknown());
          }
        };
    for (Synchronizers process : processes) {
      IntSupplier next = opening.apply(process);
      play.client(() -> told.add(next.getAsInt()));
    }
    return play;
  }

  /** At most one client wins each time. */
  private static SynchronizerWorkload contest(
      String name, List<Synchronizers> processes, Function<Synchronizers, Contest> opening) {
    Map<Long, List<String>> winners = Collections.synchronizedMap(new HashMap<>());
    SynchronizerWorkload play =
        new SynchronizerWorkload(name) {
          @Override
          void judge(Synchronizers afterwards) {
            assertThat(winners.values()).as(name).allMatch(w -> w.size() <= 1);
            assertThat(winners.values().stream().filter(List::isEmpty).count())
                .as(name)
                .isLessThanOrEqualTo(unknown());
          }
        };
    for (Synchronizers process : processes) {
      Contest contest = opening.apply(process);
      String who = "process " + processes.indexOf(process);
      long[] number = {0};
      play.client(
          () -> {
            boolean won = contest.isWon(number[0], who);
            winners.merge(number[0]++, won ? List.of(who) : List.of(), SharedValueWorkload::both);
            return true;
          });
    }
    return play;
  }

  private static List<String> both(List<String> some, List<String> others) {
    List<String> both = new ArrayList<>(some);
    both.addAll(others);
    return both;
  }
}
