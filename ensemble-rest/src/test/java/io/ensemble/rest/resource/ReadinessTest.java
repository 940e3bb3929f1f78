package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RestResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The catalog is read at most once a second, however many clients ask. */
@Timeout(180)
class ReadinessTest {

  private final CountDownLatch slow = new CountDownLatch(1);
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicLong now = new AtomicLong();
  private final Readiness readiness = new Readiness(this::look, now::get);

  @AfterEach
  void close() {
    readiness.close();
  }

  private void look() {
    looks.incrementAndGet();
    try {
      slow.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void allWhoAskMeanwhileHearTheSameAndNoMoreWaitThanMay() throws Exception {
    List<CompletableFuture<RestResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      answers.add(readiness.check().toCompletableFuture());
    }

    assertThatThrownBy(readiness::check).isInstanceOf(ProblemException.class);
    slow.countDown();
    for (CompletableFuture<RestResponse> one : answers) {
      assertThat(one.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
    assertThat(looks).hasValue(1);
  }

  @Test
  void anAnswerIsGoodForASecond() throws Exception {
    slow.countDown();
    for (int i = 0; i < 3; i++) {
      readiness.check().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
    assertThat(looks).hasValue(1);

    now.addAndGet(TimeUnit.SECONDS.toNanos(1));
    readiness.check().toCompletableFuture().get(60, TimeUnit.SECONDS);

    assertThat(looks).hasValue(2);
  }
}
