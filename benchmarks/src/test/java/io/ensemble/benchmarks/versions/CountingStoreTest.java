package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.ObjectStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/** Requests that are in flight together count as one round trip. */
class CountingStoreTest {

  private static final byte[] VALUE = new byte[100];

  private final Deque<CompletableFuture<Optional<ObjectStore.Entry>>> open = new ArrayDeque<>();

  private final CountingStore store =
      new CountingStore(
          new ObjectStore() {
            @Override
            public CompletionStage<Optional<Entry>> read(String key) {
              open.add(new CompletableFuture<>());
              return open.getLast();
            }

            @Override
            public CompletionStage<Void> create(String key, byte[] value) {
              return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
              return CompletableFuture.completedFuture(new Replaced(true, Optional.empty()));
            }

            @Override
            public CompletionStage<Void> put(String key, byte[] value) {
              return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<Void> remove(String key) {
              return CompletableFuture.completedFuture(null);
            }

            @Override
            public CloseableIterator<String> keys(String prefix) {
              throw new UnsupportedOperationException();
            }

            @Override
            public Optional<AutoCloseable> watch(Consumer<Change> listener) {
              return Optional.empty();
            }
          });

  private void answer() {
    open.remove().complete(Optional.of(new ObjectStore.Entry(VALUE, 1)));
  }

  @Test
  void requestsOneAfterTheOtherAreRoundTripsEach() {
    CompletionStage<?> first = store.read("abc");
    answer();
    CompletionStage<?> second = store.put("abc", VALUE);

    assertThat(store.take()).isEqualTo(new CountingStore.RequestTotals(2, 2, 3 + 100 + 3 + 100));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
  }

  @Test
  void requestsAtOnceAreOneRoundTrip() {
    CompletionStage<?> root = store.read("r");
    answer();
    CompletionStage<?> one = store.read("a");
    CompletionStage<?> two = store.read("b");
    answer();
    answer();

    assertThat(store.take()).isEqualTo(new CountingStore.RequestTotals(3, 2, 3 + 300));
    assertThat(store.take()).isEqualTo(new CountingStore.RequestTotals(0, 0, 0));
    assertThat(root).isCompleted();
    assertThat(one).isCompleted();
    assertThat(two).isCompleted();
  }
}
