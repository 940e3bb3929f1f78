package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ConnectionFenceTest {

  private final List<String> sent = new ArrayList<>();
  private final Queue<CompletableFuture<Void>> looks = new ArrayDeque<>();
  private long connections = 1;

  private final ConnectionFence fence =
      new ConnectionFence(
          "lyon",
          "s",
          () -> connections,
          () -> {
            sent.add("marker");
            CompletableFuture<Void> look = new CompletableFuture<>();
            looks.add(look);
            return look;
          });

  private CompletableFuture<String> asked(String request, CompletableFuture<String> answer) {
    return fence
        .guarded(
            () -> {
              sent.add(request);
              return answer;
            })
        .toCompletableFuture();
  }

  private static SiteException failure(CompletionStage<?> stage) {
    assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
    Throwable thrown = stage.toCompletableFuture().handle((done, why) -> why).join();
    return (SiteException) (thrown instanceof CompletionException ? thrown.getCause() : thrown);
  }

  @Test
  void theMarkerIsLookedForBeforeTheFirstRequestAndNotAgain() {
    CompletableFuture<String> first = asked("a", CompletableFuture.completedFuture("A"));
    CompletableFuture<String> beside = asked("b", CompletableFuture.completedFuture("B"));
    assertThat(sent).containsExactly("marker");

    looks.remove().complete(null);

    assertThat(first.join()).isEqualTo("A");
    assertThat(beside.join()).isEqualTo("B");
    assertThat(asked("c", CompletableFuture.completedFuture("C")).join()).isEqualTo("C");
    assertThat(sent).containsExactlyInAnyOrder("marker", "a", "b", "c").startsWith("marker");
  }

  @Test
  void aNewConnectionIsVerifiedAnew() {
    CompletableFuture<String> first = asked("a", CompletableFuture.completedFuture("A"));
    looks.remove().complete(null);
    first.join();

    connections++;
    CompletableFuture<String> second = asked("b", CompletableFuture.completedFuture("B"));

    assertThat(sent).containsExactly("marker", "a", "marker");
    looks.remove().complete(null);
    assertThat(second.join()).isEqualTo("B");
  }

  @Test
  void anAnswerThatAnotherConnectionMayHaveBroughtIsDropped() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<String> asked = asked("a", answer);
    looks.remove().complete(null);

    connections++;
    answer.complete("absent");

    SiteException why = failure(asked);
    assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why.isNotSent()).as("it was sent").isFalse();
  }

  @Test
  void aConnectionThatEndsWhileItIsVerifiedIsVerifiedAgainAndNotForEver() {
    CompletableFuture<String> asked = asked("a", CompletableFuture.completedFuture("A"));
    for (int i = 0; i < 3; i++) {
      connections++;
      looks.remove().complete(null);
    }

    SiteException why = failure(asked);
    assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why.isNotSent()).isTrue();
    assertThat(sent).containsExactly("marker", "marker", "marker");
  }

  @Test
  void aStoreWithoutItsMarkerIsLostAndNothingIsSent() {
    CompletableFuture<String> asked = asked("a", CompletableFuture.completedFuture("A"));
    looks.remove().completeExceptionally(new SiteException("lyon", Reason.STORE_LOST, "empty"));

    SiteException why = failure(asked);
    assertThat(why.reason()).isEqualTo(Reason.STORE_LOST);
    assertThat(why.isNotSent()).isTrue();
    assertThat(sent).containsExactly("marker");

    asked("b", CompletableFuture.completedFuture("B"));
    assertThat(sent).as("it is looked for with each request").containsExactly("marker", "marker");
  }

  @Test
  void aVerificationThatTakesTooLongIsNoTimeInAQueue() {
    CompletableFuture<String> asked = asked("a", CompletableFuture.completedFuture("A"));
    looks.remove().completeExceptionally(new SiteException("lyon", Reason.TIMED_OUT, "silent"));

    assertThat(failure(asked).reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void aConnectionThatComesBetweenTheVerificationAndTheRequestSendsNothing() {
    CompletableFuture<Void> look = new CompletableFuture<>();
    ConnectionFence torn =
        new ConnectionFence(
            "lyon", "s", () -> sent.size() < 2 ? 1 : connections++, () -> noted(look));
    CompletableFuture<String> asked =
        torn.guarded(
                () -> {
                  sent.add("a");
                  return CompletableFuture.completedFuture("A");
                })
            .toCompletableFuture();
    sent.add("verified");
    connections = 1; // The check after the verification reads 1, the next one 2.
    look.complete(null);

    assertThat(failure(asked).isNotSent()).isTrue();
    assertThat(sent).doesNotContain("a");
  }

  private CompletableFuture<Void> noted(CompletableFuture<Void> look) {
    sent.add("marker");
    return look;
  }
}
