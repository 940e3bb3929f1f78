package io.ensemble.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reductions have each entry once, in order, within their bounds. */
@Timeout(60)
class ParallelReductionTest {

  private static final int ENTRIES = 1_000;
  private static final int SUM = ENTRIES * (ENTRIES - 1) / 2;

  @Test
  void theSumHasEachEntryOnce() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();

    Optional<Integer> sum =
        EntryCollection.of(MapSource.of(ENTRIES))
            .parallelReduce(
                (key, value) -> {
                  threads.add(Thread.currentThread());
                  return value;
                },
                Integer::sum,
                3);

    assertThat(sum).contains(SUM);
    assertThat(threads).hasSizeBetween(1, 3).doesNotContain(Thread.currentThread());
  }

  @Test
  void resultsAreCombinedInTheOrderOfTheIteration() {
    List<String> inOrder = new ArrayList<>();
    CollectionCursor<String> cursor =
        EntryCollection.of(MapSource.of(300)).open((key, value) -> key + " ");
    for (Optional<String> next = cursor.next(); next.isPresent(); next = cursor.next()) {
      inOrder.add(next.get());
    }

    assertThat(
            EntryCollection.of(MapSource.of(300))
                .parallelReduce((key, value) -> key + " ", String::concat, 4))
        .contains(String.join("", inOrder));
  }

  @Test
  void anotherProcessContinuesAfterEachCheckpoint() {
    List<PartialResult<Integer>> partial = new ArrayList<>();
    Optional<Integer> whole =
        EntryCollection.of(MapSource.of(ENTRIES))
            .<Integer>parallelReduce((key, value) -> value, Integer::sum, 2, partial::add);

    assertThat(partial).hasSize(16);
    assertThat(partial.get(15).result()).isEqualTo(whole).contains(SUM);
    for (PartialResult<Integer> saved : partial) {
      Optional<Integer> further =
          EntryCollection.of(MapSource.of(ENTRIES))
              .from(saved.position())
              .parallelReduce((key, value) -> value, Integer::sum, 2);
      assertThat(saved.result().orElse(0) + further.orElse(0)).isEqualTo(SUM);
    }
  }

  @Test
  void anExceptionOfTheFunctionReachesTheCallerAndTheLastCheckpointCounts() {
    List<PartialResult<Integer>> partial = new ArrayList<>();

    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(
            () ->
                EntryCollection.of(MapSource.of(ENTRIES))
                    .<Integer>parallelReduce(
                        (key, value) -> {
                          if (value == 500) {
                            throw new ArithmeticException("planted");
                          }
                          return value;
                        },
                        Integer::sum,
                        2,
                        partial::add))
        .withMessage("planted");

    EntryCollection<String, Integer> all = EntryCollection.of(MapSource.of(ENTRIES));
    Optional<Integer> further =
        (partial.isEmpty() ? all : all.from(partial.get(partial.size() - 1).position()))
            .parallelReduce((key, value) -> value, Integer::sum, 2);
    int before = partial.isEmpty() ? 0 : partial.get(partial.size() - 1).result().orElse(0);
    assertThat(before + further.orElse(0)).isEqualTo(SUM);
  }

  @Test
  void twoChunksForEachThreadExistAtATime() {
    int[] submitted = {0};
    int[] combined = {0};
    List<Integer> existing = new ArrayList<>();

    Optional<Integer> sum =
        EntryCollection.of(MapSource.of(ENTRIES))
            .<Integer>parallelReduce(
                (key, value) -> value,
                Integer::sum,
                2,
                task -> {
                  existing.add(++submitted[0] - combined[0]);
                  task.run();
                },
                partial -> combined[0]++);

    assertThat(sum).contains(SUM);
    assertThat(existing).startsWith(1, 2, 3, 4, 4).hasSize(16).allMatch(count -> count <= 4);
  }

  @Test
  void noResultIsEmptyAndThreadsAreBounded() {
    EntryCollection<String, Integer> all = EntryCollection.of(MapSource.of(100));

    assertThat(all.<Integer>parallelReduce((key, value) -> null, Integer::sum, 1)).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.<Integer>parallelReduce((key, value) -> value, Integer::sum, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.<Integer>parallelReduce((key, value) -> value, Integer::sum, 1_025));
  }
}
