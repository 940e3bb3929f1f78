package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RequestWindowTest extends RequestWindowFixture {

  @Test
  void whatIsOverTheWindowWaitsInOrderAndWhatIsOverTheQueueFailsAtOnce() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(submit(100));
    }

    assertThat(sent).hasSize(2);
    assertThat(window.inFlight()).isEqualTo(2);
    assertThat(window.waiting()).isEqualTo(3);
    SiteException busy = failure(submit(100));
    assertThat(busy.reason()).isEqualTo(Reason.BUSY);
    assertThat(busy).hasMessageContaining("2 requests are in flight and 3 wait; site=lyon");

    sent.get(1).complete("b");
    assertThat(calls.get(1)).isCompletedWithValue("b");
    assertThat(sent).hasSize(3);
    sent.get(2).complete("c");
    assertThat(calls.get(2)).isCompletedWithValue("c");
    assertThat(window.waiting()).isEqualTo(1);
    assertThat(window.inFlight()).isEqualTo(2);
  }

  @Test
  void whoAsksAgainInItsAnswerDoesNotOvertakeThoseThatWait() {
    window = window(1, 3);
    List<String> order = new ArrayList<>();
    CompletableFuture<String> first = submit(100);
    CompletableFuture<String> waits = submit(100);
    CompletableFuture<String> again = first.thenCompose(value -> submit(100));

    sent.get(0).complete("first");
    waits.thenAccept(order::add);
    again.thenAccept(order::add);
    sent.get(1).complete("second");
    sent.get(2).complete("third");

    assertThat(waits).isCompletedWithValue("second");
    assertThat(again).isCompletedWithValue("third");
    assertThat(order).containsExactly("second", "third");
  }

  @Test
  void aCallerLeavesAtItsDeadlineButTheRequestKeepsItsPlaceUntilItsAnswer() {
    CompletableFuture<String> first = submit(100);
    submit(1000);

    scheduler.passMillis(100);

    assertThat(failure(first).reason()).isEqualTo(Reason.TIMED_OUT);
    assertThat(window.inFlight()).isEqualTo(2);
    CompletableFuture<String> third = submit(1000);
    assertThat(sent).hasSize(2);

    sent.get(0).complete("too late");

    assertThat(sent).hasSize(3);
    sent.get(2).complete("third");
    assertThat(third).isCompletedWithValue("third");
  }

  @Test
  void oneThatWaitsTooLongLeavesTheQueueAndIsNeverSent() {
    submit(1000);
    submit(1000);
    CompletableFuture<String> waits = submit(50);
    CompletableFuture<String> waitsLonger = submit(500);

    scheduler.passMillis(50);

    assertThat(failure(waits)).hasMessageContaining("not sent");
    assertThat(failure(waits).reason()).isEqualTo(Reason.TIMED_OUT);
    assertThat(window.waiting()).isEqualTo(1);
    sent.get(0).complete("a");
    sent.get(2).complete("for the longer one");
    assertThat(waitsLonger).isCompletedWithValue("for the longer one");
  }

  @Test
  void nothingGrowsWhileASiteHangs() {
    for (int i = 0; i < 10_000; i++) {
      submit(100);
      if (i % 10 == 0) {
        scheduler.passMillis(6); // less than it takes until the client counts as broken
      }
    }

    assertThat(sent).hasSize(2);
    assertThat(window.inFlight()).isEqualTo(2);
    assertThat(window.waiting()).isLessThanOrEqualTo(3);
    assertThat(scheduler.timersPending()).isLessThanOrEqualTo(1);
    scheduler.passMillis(200);
    assertThat(window.waiting()).isZero();
    assertThat(scheduler.timersPending()).isZero();
  }

  @Test
  void aCallerThatWaitsForEachAnswerRarelySetsATimer() {
    for (int i = 0; i < 1000; i++) {
      CompletableFuture<String> call = submit(100);
      sent.get(sent.size() - 1).complete("done");
      assertThat(call).isCompletedWithValue("done");
      scheduler.passMillis(1);
    }

    assertThat(scheduler.timersSet).isLessThanOrEqualTo(12);
  }

  @Test
  void aNearerDeadlineMovesTheTimer() {
    submit(1000);
    CompletableFuture<String> near = submit(10);

    scheduler.passMillis(10);

    assertThat(near).isCompletedExceptionally();
    scheduler.passMillis(989);
    assertThat(window.inFlight()).isEqualTo(2);
  }

  @Test
  void answersThatComeAtOnceNeedNoStack() {
    window = window(1, 100_000);
    CompletableFuture<String> first = submit(1000);
    List<CompletionStage<String>> calls = new ArrayList<>();
    Deadline deadline = Deadline.after(Duration.ofSeconds(1), scheduler);
    for (int i = 0; i < 100_000; i++) {
      calls.add(window.submit(deadline, () -> CompletableFuture.completedStage("at once")));
    }

    sent.get(0).complete("first");

    assertThat(first).isCompleted();
    assertThat(calls)
        .allMatch(call -> "at once".equals(call.toCompletableFuture().getNow("pending")));
    assertThat(window.inFlight()).isZero();
  }

  @Test
  void whatThrowsInsteadOfAnsweringFailsAndFreesItsPlace() {
    Deadline deadline = Deadline.after(Duration.ofSeconds(1), scheduler);

    CompletionStage<String> call =
        window.submit(
            deadline,
            () -> {
              throw new IllegalStateException("odd");
            });

    assertThat(failure(call).reason()).isEqualTo(Reason.FAILED);
    assertThat(failure(call)).hasMessageContaining("odd");
    assertThat(window.inFlight()).isZero();
  }

  @Test
  void silenceEightTimesInARowMakesASiteSuspectedAndFailsWhatWaits() {
    failNext(7, Reason.UNREACHABLE);
    submit(100);
    sent.get(sent.size() - 1).complete("still there");
    failNext(7, Reason.TIMED_OUT);
    assertThat(window.isSuspected()).isFalse();
    submit(5000);
    submit(5000);
    CompletableFuture<String> waits = submit(5000);

    int before = sent.size();
    sent.get(before - 1).completeExceptionally(silence(Reason.UNREACHABLE));

    assertThat(window.isSuspected()).isTrue();
    assertThat(sent).as("what waited is not sent").hasSize(before);
    assertThat(failure(waits).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(window.waiting()).isZero();
    SiteException refused = failure(submit(100));
    assertThat(refused.reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(refused).hasMessageContaining("site suspected for 0 ms, next probe in 200 ms");
    assertThat(sent).hasSize(before);
  }

  @Test
  void errorsThatTheSiteSentAreAnswers() {
    failNext(20, Reason.STORE_LOST);
    failNext(20, Reason.FAILED);

    assertThat(window.isSuspected()).isFalse();
  }

  @Test
  void whatWasNotSentForWantOfRoomIsNoEvidence() {
    failNext(8, Reason.UNREACHABLE);
    scheduler.passMillis(200);

    failNext(1, Reason.BUSY);

    assertThat(window.isSuspected()).as("not an answer").isTrue();
    int before = sent.size();
    scheduler.passMillis(400);
    submit(100);
    assertThat(sent).as("the next probe comes in its turn").hasSize(before + 1);
  }

  private void fail(SiteException how) {
    submit(100);
    sent.get(sent.size() - 1).completeExceptionally(how);
  }

  @Test
  void aLossThatThisProcessMadeUpIsNoEvidence() {
    SiteException ours = SiteException.notSent("lyon", Reason.STORE_LOST, "not opened again");
    failNext(7, Reason.UNREACHABLE);

    fail(ours);
    failNext(1, Reason.UNREACHABLE);
    assertThat(window.isSuspected()).as("eight in a row").isTrue();

    scheduler.passMillis(200);
    fail(ours);
    assertThat(window.isSuspected()).as("a probe that was not sent").isTrue();
  }

  @Test
  void whatWasKeptBackBecauseTheSiteAnsweredAnotherRequestIsAnAnswer() {
    SiteException answer = new SiteException("lyon", Reason.STORE_LOST, "it does not have it");
    failNext(8, Reason.UNREACHABLE);
    scheduler.passMillis(200);

    fail(SiteException.notSent("lyon", Reason.STORE_LOST, "not sent, a store ping failed", answer));

    assertThat(window.isSuspected()).isFalse();
  }

  @Test
  void callersInAHurryDoNotCondemnASiteThatAnswersLate() {
    for (int i = 0; i < 50; i++) {
      CompletableFuture<String> call = submit(5);
      scheduler.passMillis(5);
      assertThat(failure(call).reason()).isEqualTo(Reason.TIMED_OUT);
      sent.get(sent.size() - 1).complete("late");
    }

    assertThat(window.isSuspected()).isFalse();
  }

  @Test
  void probesGoOutAtDoublingDistancesAndOneAnswerEndsTheSuspicion() {
    failNext(8, Reason.UNREACHABLE);
    List<Long> gaps = new ArrayList<>();
    long last = 0;
    for (int millis = 10; millis <= 10_000; millis += 10) {
      scheduler.passMillis(10);
      int before = sent.size();
      submit(50);
      if (sent.size() > before) {
        gaps.add(millis - last);
        last = millis;
        sent.get(before).completeExceptionally(silence(Reason.UNREACHABLE));
      }
    }
    assertThat(gaps).startsWith(200L, 400L, 800L, 1600L, 2000L, 2000L);

    scheduler.passMillis(2000);
    CompletableFuture<String> probe = submit(50);
    assertThat(failure(submit(50)).reason()).as("one probe").isEqualTo(Reason.UNREACHABLE);
    sent.get(sent.size() - 1).complete("back");

    assertThat(probe).isCompletedWithValue("back");
    assertThat(window.isSuspected()).isFalse();
    CompletableFuture<String> next = submit(50);
    sent.get(sent.size() - 1).complete("as ever");
    assertThat(next).isCompletedWithValue("as ever");
  }

  @Test
  void aProbeThatIsLostDoesNotLoseTheSite() {
    failNext(8, Reason.UNREACHABLE);
    scheduler.passMillis(200);
    submit(50);
    int before = sent.size();

    scheduler.passMillis(9_990);
    submit(50);
    assertThat(sent).hasSize(before);
    scheduler.passMillis(10);
    submit(50);

    assertThat(sent).hasSize(before + 1);
  }

  @Test
  void closingLeavesNobodyWaiting() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(submit(100));
    }

    window.close();
    window.close();

    assertThat(calls)
        .allSatisfy(c -> assertThat(failure(c)).hasMessageContaining("closed by this process"));
    assertThat(failure(submit(100))).hasMessageContaining("closed by this process");
    assertThat(scheduler.timersPending()).isZero();
    sent.get(0).complete("late");
    assertThat(sent).hasSize(2);
  }

  @Test
  void noCallerCompletesAnothersPromise() {
    CompletableFuture<String> mine = submit(100);
    mine.complete("forged");

    assertThat(window.inFlight()).isEqualTo(1);
    sent.get(0).complete("real");
    assertThat(window.inFlight()).isZero();
  }
}
