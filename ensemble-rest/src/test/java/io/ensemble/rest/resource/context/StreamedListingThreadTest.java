package io.ensemble.rest.resource.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.StreamingBody;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread releases a listing. */
@Timeout(180)
class StreamedListingThreadTest {

  private final CompletableFuture<String> closer = new CompletableFuture<>();
  private final CompletableFuture<String> ender = new CompletableFuture<>();
  private final CompletableFuture<String> cutter = new CompletableFuture<>();

  /** An endless document that may block when it is closed. */
  private final ListingParts parts =
      new ListingParts() {
        @Override
        public byte[] next() {
          return new byte[] {' '};
        }

        @Override
        public boolean isEnded() {
          return false;
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
      StreamedListing listing =
          StreamedListing.begin(
              parts,
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
}
