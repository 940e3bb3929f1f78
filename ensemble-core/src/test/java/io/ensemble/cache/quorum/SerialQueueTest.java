package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SerialQueueTest {

  private final List<String> handled = new ArrayList<>();

  @Test
  void whatHandlingBringsIsHandledAfterIt() {
    List<SerialQueue<String>> own = new ArrayList<>();
    SerialQueue<String> inbox =
        new SerialQueue<>(
            input -> {
              handled.add(input + " begins");
              if (input.equals("first")) {
                own.get(0).put("second");
              }
              handled.add(input + " ends");
              return null;
            });
    own.add(inbox);

    inbox.put("first");

    assertThat(handled)
        .containsExactly("first begins", "first ends", "second begins", "second ends");
  }

  @Test
  void newsIsToldWhenTheInboxIsEmptyAndMayBringMore() {
    List<SerialQueue<String>> own = new ArrayList<>();
    SerialQueue<String> inbox =
        new SerialQueue<>(
            input -> {
              handled.add(input);
              if (input.equals("first")) {
                own.get(0).put("second");
                return () -> {
                  handled.add("news");
                  own.get(0).put("third");
                };
              }
              return null;
            });
    own.add(inbox);

    inbox.put("first");

    assertThat(handled).containsExactly("first", "second", "news", "third");
  }

  @Test
  @Timeout(90)
  void nobodyWaitsForWhoeverHandlesAndNoInputIsLost() throws InterruptedException {
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    SerialQueue<String> inbox =
        new SerialQueue<>(
            input -> {
              if (input.equals("slow")) {
                handling.countDown();
                uninterrupted(goOn);
              }
              handled.add(input);
              return null;
            });
    Thread other = new Thread(() -> inbox.put("slow"));
    other.start();
    handling.await();

    inbox.put("behind"); // Would block forever if it waited for the handler.
    goOn.countDown();
    other.join();

    assertThat(handled).containsExactly("slow", "behind");
  }

  private static void uninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
