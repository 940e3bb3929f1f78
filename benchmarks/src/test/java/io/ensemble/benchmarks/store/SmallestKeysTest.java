package io.ensemble.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.store.RecordStore.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SmallestKeysTest {

  @Test
  void sortingEverythingFindsTheSame() {
    Random random = new Random(17);
    for (int round = 0; round < 500; round++) {
      List<String> walk = new ArrayList<>();
      for (int i = random.nextInt(30); i > 0; i--) {
        walk.add("user" + random.nextInt(40)); // An iteration may return a key twice.
      }
      String start = "user" + random.nextInt(40);
      int count = random.nextInt(12);

      SmallestKeys smallest = new SmallestKeys(start, count);
      walk.forEach(key -> smallest.offer(key, () -> new byte[0]));

      List<String> expected = new TreeSet<>(walk).tailSet(start).stream().limit(count).toList();
      assertThat(smallest.inOrder()).extracting(Entry::key).isEqualTo(expected);
    }
  }

  @Test
  void aKeyThatIsNotKeptIsNotCopied() {
    SmallestKeys smallest = new SmallestKeys("b", 1);

    smallest.offer("c", () -> new byte[] {1});
    smallest.offer("a", SmallestKeysTest::unexpected);
    smallest.offer("d", SmallestKeysTest::unexpected);
    smallest.offer("c", SmallestKeysTest::unexpected);

    assertThat(smallest.inOrder()).hasSize(1);
  }

  private static byte[] unexpected() {
    throw new AssertionError("this value was not wanted");
  }
}
