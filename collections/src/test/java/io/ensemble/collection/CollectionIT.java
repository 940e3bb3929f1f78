package io.ensemble.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.objects.store.ThreeSites;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An iteration on real sites of which one dies in its middle. */
@Timeout(180)
class CollectionIT {

  private static final int KEYS = 400;

  @Test
  void eachEntryIsReturnedOnceWhileASiteDies(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      EnsembleCache<String, byte[]> cache = sites.caches().get(0);
      Set<String> expected = new TreeSet<>();
      for (int i = 0; i < KEYS; i++) {
        cache.put("k" + i, new byte[] {(byte) i});
        expected.add("k" + i);
      }
      Set<String> found = new TreeSet<>();
      try (CollectionCursor<String> cursor =
          EntryCollection.of(cache)
              .withMemory(8, 90, 1 << 20)
              .open((key, value) -> value.length == 1 ? key : null)) {
        for (Optional<String> next = cursor.next(); next.isPresent(); next = cursor.next()) {
          assertThat(found.add(next.get())).as("once: " + next.get()).isTrue();
          if (found.size() == KEYS / 3) {
            sites.site("lyon").kill(); // The local site, which each pass would scan first.
          }
        }
        assertThat(cursor.progress().passes()).as("passes after the death, too").isGreaterThan(3);
      }

      assertThat(found).isEqualTo(expected);
    }
  }
}
