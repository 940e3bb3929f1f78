package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class ObjectListingTest {

  private static CloseableIterator<String> names(String... names) {
    Iterator<String> all = List.of(names).iterator();
    return new CloseableIterator<>() {
      @Override
      public void close() {}

      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public String next() {
        return all.next();
      }
    };
  }

  @Test
  void anObjectWhoseReadFailedIsReadAgain() {
    AtomicInteger reads = new AtomicInteger();
    List<String> read = new ArrayList<>();
    try (ObjectListing listing =
        new ObjectListing(
            names("a", "b"),
            name -> {
              if (reads.incrementAndGet() == 1) {
                throw new IllegalStateException("no response");
              }
              read.add(name);
              return Optional.empty();
            })) {
      assertThatThrownBy(listing::hasNext).hasMessage("no response");

      assertThat(listing.hasNext()).isFalse();
    }
    assertThat(read).containsExactly("a", "b");
  }
}
