package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.junit.jupiter.api.Test;

/** When a site is pinged before a request, and when in parallel to it. */
class StorePingGuardTest {

  private final Deque<CompletableFuture<Boolean>> hails = new ArrayDeque<>();
  private static final HotRodClientException STARTING =
      new HotRodClientException(
          "org.infinispan.commons.IllegalLifecycleStateException: ISPN005066: Cache 's' is not ready");

  private int hailed;
  private int requests;
  private int nodes = 1;
  private final StorePing storePing = new StorePing(this::once, () -> nodes);
  private final StorePingGuard storePingGuard =
      new StorePingGuard(() -> storePing.heard("lyon", "s"));

  private CompletableFuture<Boolean> once() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    hails.add(answer);
    hailed++;
    return answer;
  }

  private CompletableFuture<String> request() {
    CompletionStage<String> made =
        storePingGuard.admitted(
            () -> {
              requests++;
              return CompletableFuture.completedFuture("done");
            });
    return made.toCompletableFuture();
  }

  private void fail(Reason... reasons) {
    for (Reason reason : reasons) {
      storePingGuard.noted(new SiteException("lyon", reason, "told to fail"));
    }
  }

  @Test
  void requestsGoAtOnceWhileTheSiteAnswers() {
    fail(Reason.UNREACHABLE);
    storePingGuard.noted(null);
    fail(Reason.STORE_LOST);
    storePingGuard.noted(null);
    fail(Reason.FAILED, Reason.DEGRADED, Reason.NOT_ALLOWED);

    assertThat(request()).isCompletedWithValue("done");
    assertThat(hailed).isZero();
  }

  @Test
  void aHailThatFindsNoStoreOrNobodyKeepsRequestsBackAndNothingWasSent() {
    fail(Reason.UNREACHABLE, Reason.STORE_LOST);

    for (Reason expected : List.of(Reason.STORE_LOST, Reason.UNREACHABLE)) {
      CompletableFuture<String> kept = request();
      if (expected == Reason.STORE_LOST) {
        hails.remove().complete(false);
      } else {
        hails.remove().completeExceptionally(STARTING);
      }

      assertThatThrownBy(kept::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              SiteException.class,
              why -> {
                assertThat(why.reason()).isEqualTo(expected);
                assertThat(why.isNotSent()).isTrue();
              });
      fail(expected); // As the store records it.
    }
    assertThat(requests).isZero();
    CompletableFuture<String> last = request();
    hails.remove().complete(true);
    assertThat(last).isCompletedWithValue("done");
  }

  @Test
  void oneNodeThatAnswersIsEnough() {
    nodes = 3;
    fail(Reason.UNREACHABLE, Reason.UNREACHABLE);
    CompletableFuture<String> made = request();

    hails.remove().completeExceptionally(STARTING);
    hails.remove().completeExceptionally(STARTING);
    assertThat(made).isNotDone();
    hails.remove().complete(true);

    assertThat(made).isCompletedWithValue("done");
  }

  /** A node that has just joined its cluster may not have all caches yet. */
  @Test
  void aStoreIsLostOnlyWhenNoNodeHasIt() {
    nodes = 3;
    fail(Reason.STORE_LOST, Reason.STORE_LOST);
    CompletableFuture<String> made = request();
    hails.remove().complete(false);
    hails.remove().complete(true);
    assertThat(made).isCompletedWithValue("done");

    fail(Reason.STORE_LOST, Reason.STORE_LOST);
    CompletableFuture<String> kept = request();
    hails.remove().complete(false);
    hails.remove().completeExceptionally(STARTING);
    assertThat(kept).isNotDone();
    hails.remove().completeExceptionally(STARTING);

    assertThatThrownBy(kept::join).hasMessageContaining("reason=STORE_LOST");
  }

  /** The node that owns the key may hang; another node has the present owner. */
  @Test
  void aRequestWithoutAnAnswerInTimeHailsAnotherNodeBesideAndKeepsNobodyBack() {
    fail(Reason.TIMED_OUT, Reason.TIMED_OUT, Reason.TIMED_OUT);

    assertThat(hailed).as("at once").isEqualTo(1);
    assertThat(request()).isCompletedWithValue("done");
    hails.remove().completeExceptionally(STARTING);
    assertThat(request()).isCompletedWithValue("done");
    fail(Reason.TIMED_OUT);
    assertThat(hailed).isEqualTo(2);
  }

  /** A recovery waits for a starting site, and only briefly where no server listens. */
  @Test
  void aHailTellsASiteThatStartsFromOneWhereNobodyListens() {
    CompletableFuture<Void> starting = storePing.heard("lyon", "s").toCompletableFuture();
    hails.remove().completeExceptionally(STARTING);
    CompletableFuture<Void> nobody = storePing.heard("lyon", "s").toCompletableFuture();
    hails.remove().completeExceptionally(new TransportException(new ConnectException("no"), null));

    assertThat(why(starting).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why(starting).isNotSent()).isFalse();
    assertThat(why(nobody).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why(nobody).isNotSent()).isTrue();
  }

  private static SiteException why(CompletableFuture<?> failed) {
    return HotRodExceptionMapper.toSiteException(
        "lyon", "", failed.handle((done, failure) -> failure).join());
  }

  /** A timeout in a queue of this process is no evidence about a site; an unanswered ping is. */
  @Test
  void aHailWithoutAnAnswerInTimeIsTheSitesSilence() {
    fail(Reason.UNREACHABLE, Reason.UNREACHABLE);
    CompletableFuture<String> kept = request();
    hails.remove().completeExceptionally(new SocketTimeoutException("told to"));

    assertThat(why(kept).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(why(kept).isNotSent()).isTrue();
    assertThat(requests).isZero();
  }
}
