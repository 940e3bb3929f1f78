package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.rest.http.StreamingBody;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread releases a listing. */
@Timeout(180)
class EntryListingThreadTest {

  private final CompletableFuture<String> closer = new CompletableFuture<>();
  private final CompletableFuture<String> ender = new CompletableFuture<>();
  private final CompletableFuture<String> cutter = new CompletableFuture<>();

  /** An endless iteration that may block when it is closed. */
  private final CloseableIterator<Object> keys =
      new CloseableIterator<>() {
        @Override
        public boolean hasNext() {
          return true;
        }

        @Override
        public Object next() {
          return "key";
        }

        @Override
        public void close() {
          closer.complete(Thread.currentThread().getName());
        }
      };

  private final StreamingBody.Way silentClient =
      new StreamingBody.Way() {
        @Override
        public CompletionStage<Void> send(byte[] bytes) {
          return new CompletableFuture<>();
        }

        @Override
        public void end() {}

        @Override
        public void cut() {
          cutter.complete(Thread.currentThread().getName());
        }
      };

  /** The JDK has one thread for all timeouts of the process: nothing may block it. */
  @Test
  void aListingThatItsClientDoesNotReadEndsOnAWorker() {
    try (BlockingTaskPool workers = new BlockingTaskPool(2, 2)) {
      EntryListing listing =
          EntryListing.begin(
              new EntryParts(cache(), "", false, Integer.MAX_VALUE),
              "ada",
              workers,
              Duration.ofMillis(20),
              () -> ender.complete(Thread.currentThread().getName()));

      listing.begin(silentClient);

      assertThat(cutter.join()).startsWith("ensemble-rest-worker");
      assertThat(closer.join()).startsWith("ensemble-rest-worker");
      assertThat(ender.join()).startsWith("ensemble-rest-worker");
    }
  }

  /** A cache of which only the iteration over its keys is used. */
  @SuppressWarnings("unchecked")
  private EnsembleCache<Object, Object> cache() {
    return (EnsembleCache<Object, Object>)
        Proxy.newProxyInstance(
            EnsembleCache.class.getClassLoader(),
            new Class<?>[] {EnsembleCache.class},
            (proxy, method, arguments) -> keySet(method.getReturnType()));
  }

  private Object keySet(Class<?> type) {
    return Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> keys);
  }
}
