package io.ensemble.check.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.junit.jupiter.api.Test;

class ObjectStoreConnectionTest {

  @Test
  void aCacheIsOpenedOnceItsSiteAnswers() throws InterruptedException {
    AtomicInteger tries = new AtomicInteger();

    String opened =
        ObjectStoreConnection.openWithRetries(
            () -> {
              if (tries.incrementAndGet() < 3) {
                throw new HotRodClientException("the site is cut off");
              }
              return "opened";
            },
            Duration.ofHours(1));

    assertThat(opened).isEqualTo("opened");
    assertThat(tries).hasValue(3);
  }

  @Test
  void theLastFailureIsThrownWhenTheTimeIsOver() {
    HotRodClientException failure = new HotRodClientException("the site is cut off");

    assertThatThrownBy(
            () ->
                ObjectStoreConnection.openWithRetries(
                    () -> {
                      throw failure;
                    },
                    Duration.ZERO))
        .isSameAs(failure);
  }
}
