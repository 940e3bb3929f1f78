package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.EntryUpdate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which writes of tasks have an effect. Needs no running Spark. */
class WriteIdentityTest {

  private static SourceOptions options(Map<String, String> further) {
    Map<String, String> all =
        new HashMap<>(
            Map.of("cache", "c", "catalog", "none", "mapping", NumberedMapping.class.getName()));
    all.putAll(further);
    return new SourceOptions(all);
  }

  private static WriteIdentity task(int generation, long batch, int partition, String query) {
    return options(
            Map.of("identity-column", "identity", "generation", Integer.toString(generation)))
        .identity(batch, partition, query)
        .orElseThrow();
  }

  /** What a write leaves of a present value. */
  private static String after(@Nullable String present, WriteIdentity task, long row) {
    String identity = task.of(row);
    EntryUpdate<Object, Object> update = task.update(identity, row + "|" + identity).apply(present);
    return update.action() == EntryUpdate.Action.WRITE
        ? (String) update.value()
        : String.valueOf(present);
  }

  /** Every order of the writes of two generations, batches, partitions and rows ends alike. */
  @Test
  void theHighestIdentityWinsInEachOrder() {
    List<Runnable> writes = new ArrayList<>();
    String[] present = {null};
    for (int generation : new int[] {1, 300}) {
      for (long batch : new long[] {0, 20}) {
        for (int partition : new int[] {2, 10}) {
          WriteIdentity task = task(generation, batch, partition, "q" + generation);
          for (long row : new long[] {9, 10}) {
            writes.add(() -> present[0] = after(present[0], task, row));
          }
        }
      }
    }
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      Collections.shuffle(writes, random);
      present[0] = null;
      writes.forEach(Runnable::run);

      assertThat(present[0]).isEqualTo("10|" + task(300, 20, 10, "q300").of(10));
    }
  }

  @Test
  void aTwinHasNoEffectAlsoAfterAnotherProcessHasModifiedTheValue() {
    WriteIdentity task = task(1, 3, 0, "q");
    String modified = NumberedMapping.withNumber(after(null, task, 5), 77);

    assertThat(after(modified, task(1, 3, 0, "q"), 5)).isEqualTo(modified);
    assertThat(after(modified, task(1, 2, 9, "q"), 99)).isEqualTo(modified);
    assertThat(after(modified, task(1, 4, 0, "q"), 0)).startsWith("0|");
    assertThat(after("77|", task, 5)).startsWith("5|"); // Without an identity.
  }

  @Test
  void anotherQueryOfTheSameGenerationIsAnError() {
    String present = after(null, task(2, 900, 0, "q"), 5);

    for (String other : List.of("p", "")) {
      assertThatIllegalStateException()
          .isThrownBy(() -> after(present, task(2, 0, 0, other), 5))
          .withMessageContaining("give this one a higher number");
    }
    assertThat(after(present, task(3, 0, 0, "p"), 6)).startsWith("6|");
    assertThat(after(present, task(1, 999, 0, "p"), 6)).isEqualTo(present);
  }

  @Test
  void anotherTextInPlaceOfAnIdentityIsAnError() {
    assertThatIllegalStateException()
        .isThrownBy(() -> after("1|mine", task(1, 0, 0, ""), 0))
        .withMessageContaining("got 'mine'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"value", "none"})
  void anIdentityIsAColumnOfText(String column) {
    SourceOptions options = options(Map.of("identity-column", column, "generation", "1"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.identity(0, 0, ""))
        .withMessageContaining("'identity-column' must name a column of text");
  }

  @Test
  void aJobThatIsNoStreamingQueryHasAGeneration() {
    SourceOptions without = options(Map.of("identity-column", "identity"));
    assertThat(without.identity(0, 0, "q")).isPresent();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> without.identity(0, 0, ""))
        .withMessageContaining("'generation' must be a number");

    SourceOptions alone = options(Map.of("generation", "1"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> alone.identity(0, 0, ""))
        .withMessageContaining("requires 'identity-column'");
  }
}
